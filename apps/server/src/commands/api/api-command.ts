import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Definition, OrdersClient } from '@orders/client';
import { DEMO_API_KEY_FILE } from '../../database/demo-api-key.ts';
import { OperatorError, reasonOf } from '../../operator-error.ts';
import { findServer } from '../../serving/running-server.ts';
import { listenForStop } from '../../serving/stop-signal.ts';
import { isThisMachine } from '../../config/this-machine.ts';
import type { Arguments, CommandHelp, LocalCommand } from '../command.ts';
import { FailedRequest, linesOf, type Server } from './error-lines.ts';

/** A client of a server whose definition is unknown here. */
type AnyClient = OrdersClient<Definition>;

/** A command that calls the API as any client does. */
interface ApiCommand extends CommandHelp {
  /** Validates the arguments before any request, and returns the work to run. */
  readonly prepare: (args: Arguments) => (orders: AnyClient, signal: AbortSignal) => Promise<void>;
}

/**
 * Makes a command that calls the server at `ORDERS_URL` with `ORDERS_API_KEY`: by default the one that runs on `DATA_DIR`.
 * Without `ORDERS_API_KEY`, a server on this machine gets the key that it stored at its first start.
 */
export function apiCommand({ prepare, ...help }: ApiCommand): LocalCommand {
  return {
    ...help,
    run: async (args) => {
      const work = prepare(args);
      const { RequestFailed } = await import('@orders/client');
      const { orders, server } = await clientOf(process.env);
      const { signal } = listenForStop();
      try {
        await work(orders, signal);
      } catch (cause) {
        // What a signal has ended has the exit code of the signal, and needs no message.
        signal.throwIfAborted();
        if (!(cause instanceof RequestFailed) && !(cause instanceof FailedRequest)) throw cause;
        throw new OperatorError(linesOf(cause.error, server));
      }
      signal.throwIfAborted();
    },
  };
}

const KEY_REQUIRED = 'ORDERS_API_KEY: must be an API key of the server, as keys create prints it';

async function clientOf(
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly orders: AnyClient; readonly server: Server }> {
  const { ORDERS_URL, ORDERS_API_KEY: given, DATA_DIR = '.data' } = environment;
  const running = ORDERS_URL === undefined ? await findServer(DATA_DIR) : undefined;
  const url = ORDERS_URL ?? running ?? 'http://127.0.0.1:3000';
  const setting = ORDERS_URL === undefined ? (running ? `that of ${DATA_DIR}` : 'the default') : 'that of ORDERS_URL';
  // Another machine must not learn the key of this one, nor another program.
  if (given === undefined && URL.canParse(url) && !isThisMachine(new URL(url)))
    throw new OperatorError([`${KEY_REQUIRED}; the demo key is sent to this machine only`]);
  if (given === undefined && ORDERS_URL === undefined && !running)
    throw new OperatorError([`no server runs on ${DATA_DIR}: pnpm start runs one; ORDERS_URL names another`]);
  const apiKey = given ?? (await storedKey(DATA_DIR));
  const { createOrdersClient } = await import('@orders/client');
  let failure: string | undefined;
  const fetchExplained: typeof fetch = async (...request) => {
    try {
      return await fetch(...request);
    } catch (cause) {
      failure = reasonOf(cause instanceof Error ? (cause.cause ?? cause) : cause);
      throw cause;
    }
  };
  try {
    const orders = createOrdersClient<Definition>({ baseUrl: url, credentials: { apiKey }, fetch: fetchExplained });
    return { orders, server: { url, setting, failure: () => failure } };
  } catch (cause) {
    throw new OperatorError([`ORDERS_URL or ORDERS_API_KEY: ${reasonOf(cause)}`], { cause });
  }
}

async function storedKey(folder: string): Promise<string> {
  try {
    return (await readFile(join(folder, DEMO_API_KEY_FILE), 'utf8')).trim();
  } catch (cause) {
    throw new OperatorError([`${KEY_REQUIRED} (${reasonOf(cause)})`], { cause });
  }
}
