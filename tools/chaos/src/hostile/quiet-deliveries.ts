import { once } from 'node:events';
import { createServer } from 'node:http';
import type { OrdersClient } from '@orders/client';
import { query, waitFor } from '@orders/system-under-test';
import { isRecord } from '../load/resource.ts';
import type { Stage } from '../stage.ts';

/** Maximum time until the last event has been delivered, in milliseconds. */
const LAST_MS = 10_000;

/** Webhooks of the quiet owners, each with one endpoint that accepts them. */
export interface QuietDeliveries {
  /** Waits for the deliveries of all events so far, and returns what has happened since the last call. */
  settle(): Promise<Settled>;
}

/** Deliveries of the quiet owners within one span of time. */
export interface Settled {
  /** The time from each event to its first delivery, in milliseconds. */
  readonly lagsMs: readonly number[];
  /** The number of events that were not delivered in time. */
  readonly missing: number;
}

/** Registers an endpoint for each owner, on a server without requests of theirs under way. */
export async function quietDeliveries(
  stage: Stage,
  databaseUrl: string,
  clients: readonly OrdersClient[],
): Promise<QuietDeliveries> {
  const seen = new Set<string>();
  let lagsMs: number[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      response.writeHead(204).end();
      const message: unknown = JSON.parse(text);
      const id = String(request.headers['webhook-id']);
      if (seen.has(id) || !isRecord(message)) return;
      seen.add(id);
      lagsMs.push(Date.now() - Date.parse(String(message['timestamp'])));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  for (const { webhooks } of clients) (await webhooks.create({ url: `http://127.0.0.1:${port}/` }))._unsafeUnwrap();

  const countEvents = async () => {
    const text = `select count(*)::int as count from orders.changes where owner_id like 'quiet-%' and type is not null`;
    return Number((await query(databaseUrl, text))[0]?.['count']);
  };
  // An endpoint gets no events from before its registration.
  const before = await countEvents();
  return {
    settle: async () => {
      const expected = (await countEvents()) - before;
      const isDone = () => (seen.size >= expected ? true : undefined);
      await waitFor('deliveries', LAST_MS, isDone).catch(() => undefined);
      const settled = { lagsMs, missing: Math.max(0, expected - seen.size) };
      lagsMs = [];
      return settled;
    },
  };
}
