import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Definition, OrdersClient } from '@orders/client';
import { DEMO_API_KEY_FILE } from '../../database/demo-api-key.ts';
import { OperatorError, reasonOf } from '../../operator-error.ts';
import { listenForStop } from '../../serving/stop-signal.ts';
import { isThisMachine } from '../../config/this-machine.ts';
import type { Arguments, CommandHelp, LocalCommand } from '../command.ts';
import { linesOf } from './error-lines.ts';

/** A client of a server whose definition is unknown here. */
type AnyClient = OrdersClient<Definition>;

/** A command that calls the API as any client does. */
interface ApiCommand extends CommandHelp {
  /** Validates the arguments before any request, and returns the work to run. */
  readonly prepare: (args: Arguments) => (orders: AnyClient, signal: AbortSignal) => Promise<void>;
}

/**
 * Makes a command that calls the server at `ORDERS_URL` with `ORDERS_API_KEY`: by default the local server. Without
 * `ORDERS_API_KEY`, a server on this machine gets the key that it stored at its first start.
 */
export function apiCommand({ prepare, ...help }: ApiCommand): LocalCommand {
  return {
    ...help,
    run: async (args) => {
      const work = prepare(args);
      const { RequestFailed } = await import('@orders/client');
      const orders = await clientOf(process.env);
      const { signal } = listenForStop();
      try {
        await work(orders, signal);
      } catch (cause) {
        // What a signal has ended has the exit code of the signal, and needs no message.
        signal.throwIfAborted();
        if (!(cause instanceof RequestFailed)) throw cause;
        throw new OperatorError(linesOf(cause.error), { cause });
      }
      signal.throwIfAborted();
    },
  };
}

const KEY_REQUIRED = 'ORDERS_API_KEY: must be an API key of the server, as keys create prints it';

async function clientOf(environment: NodeJS.ProcessEnv): Promise<AnyClient> {
  const { ORDERS_URL: baseUrl = 'http://127.0.0.1:3000', ORDERS_API_KEY: given } = environment;
  // Another machine must not learn the key of this one.
  if (given === undefined && URL.canParse(baseUrl) && !isThisMachine(new URL(baseUrl)))
    throw new OperatorError([`${KEY_REQUIRED}; the demo key is sent to this machine only`]);
  const apiKey = given ?? (await storedKey(environment['DATA_DIR'] ?? '.data'));
  const { createOrdersClient } = await import('@orders/client');
  try {
    return createOrdersClient<Definition>({ baseUrl, credentials: { apiKey } });
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
