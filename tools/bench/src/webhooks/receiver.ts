import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { Bench } from '../bench.ts';
import { WrongResponse } from '../wrong-response.ts';

/** What a receiver has received since the last report. */
interface ReceiverReport {
  /** When each delivery arrived, in milliseconds of a clock of the receiver, in order. */
  readonly arrivedAt: readonly number[];
  /** The time from each event to its arrival, in milliseconds, in the same order. */
  readonly lagsMs: readonly number[];
}

/** A receiver of webhooks. Each delivery must have a valid signature and arrive once. */
export interface Receiver {
  /** Returns a URL at which nothing was expected yet, at each of the ports in turn. */
  newUrl(): URL;
  /** Makes requests for a path count that are signed with a secret. */
  expect(path: string, secret: string): void;
  /**
   * Waits for deliveries that were not reported yet, and reports all that have arrived.
   *
   * @throws {WrongResponse} one is wrong, or does not arrive in time
   */
  take(count: number): Promise<ReceiverReport>;
}

/** The number of ports. A sender keeps connections for each of them apart, as for different receivers. */
const PORTS = 16;

const CHECK_MS = 5;

const Message = z.object({ timestamp: z.string() });

/** The longest accepted time of all deliveries in milliseconds. */
const TIMEOUT_MS = 120_000;

/** Starts a receiver in this process, whose CPU time does not count, and which waits meanwhile. */
export async function startReceiver(bench: Bench): Promise<Receiver> {
  const secrets = new Map<string, Webhook>();
  const seen = new Set<string>();
  let arrived: { readonly at: number; readonly lagMs: number }[] = [];
  let wrong: string | undefined;
  const accept = (path: string, { headers }: IncomingMessage, body: string) => {
    const [now, at] = [Date.now(), performance.now()];
    const delivery = `${path} ${String(headers['webhook-id'])}`;
    try {
      const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const { timestamp } = Message.parse(secrets.get(path)?.verify(body, texts));
      if (seen.has(delivery)) throw new Error('it arrives twice');
      seen.add(delivery);
      arrived.push({ at, lagMs: now - Date.parse(timestamp) });
    } catch (cause) {
      wrong ??= `${delivery}: ${String(cause)}`;
    }
  };
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      accept(request.url ?? '', request, Buffer.concat(parts).toString());
      response.writeHead(204).end();
    });
  };
  const listen = async (): Promise<number> => {
    const server = createServer(receive).listen(0, '127.0.0.1');
    await once(server, 'listening');
    bench.atEnd(() => {
      server.close();
      server.closeAllConnections();
    });
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  const ports = await Promise.all(Array.from({ length: PORTS }, listen));
  let urls = 0;
  return {
    newUrl: () => {
      urls += 1;
      return new URL(`http://127.0.0.1:${ports[urls % ports.length]}/${urls}`);
    },
    expect: (path, secret) => void secrets.set(path, new Webhook(secret)),
    take: async (count) => {
      const deadline = performance.now() + TIMEOUT_MS;
      while (arrived.length < count && wrong === undefined && performance.now() < deadline) await sleep(CHECK_MS);
      if (wrong !== undefined) throw new WrongResponse(wrong);
      const found = arrived;
      arrived = [];
      if (found.length !== count) throw new WrongResponse(`${found.length} deliveries arrived in place of ${count}`);
      return { arrivedAt: found.map(({ at }) => at), lagsMs: found.map(({ lagMs }) => lagMs) };
    },
  };
}
