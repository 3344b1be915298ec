import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { exchange } from '../load/exchange.ts';
import type { Target } from './ways.ts';
import type { Way } from './hostile-play.ts';
import { placeOrder } from './place-order.ts';

/** The number of simultaneous changes of the order, and of all changes within the tenant's limit. */
const [WAITING, CHANGES_MAX] = [20, 110];

/**
 * A session that locks an order, as a user of psql does, and the owner of the order, who repeatedly sends changes with
 * keys.
 */
export function lockedOrder({ stage, url }: Target, databaseUrl: string, apiKey: string): Way {
  const start = () => {
    const stopped = new AbortController();
    const finished = change(url, databaseUrl, apiKey, stopped.signal);
    finished.catch(() => undefined); // The caller that awaits it receives its failure.
    const stop = () => {
      stopped.abort();
      return finished;
    };
    stage.atEnd(() => stopped.abort());
    return { finished, stop };
  };
  return { name: 'a locked order', start };
}

async function change(url: string, databaseUrl: string, apiKey: string, signal: AbortSignal) {
  const agent = new Agent({ keepAlive: true });
  const headers = { 'x-api-key': apiKey };
  const orderId = await placeOrder(url, apiKey);
  const session = new Client({ connectionString: databaseUrl });
  session.on('error', () => undefined); // PostgreSQL may end before the session.
  await session.connect();
  await session.query('begin');
  await session.query('select 1 from orders.orders where id = $1 for update', [orderId]);
  const outcome: Record<string, number> = {};
  let sent = 0;
  const persist = async () => {
    while (!signal.aborted && sent < CHANGES_MAX) {
      sent += 1;
      const request = {
        method: 'PATCH',
        path: `/v1/orders/${orderId}`,
        headers: { ...headers, 'idempotency-key': `change-${sent}` },
        body: { note: `change ${sent}` },
      } as const;
      const response = await exchange(agent, url, request, 20_000);
      const name = 'status' in response ? `${response.status}` : response.broken;
      outcome[name] = (outcome[name] ?? 0) + 1;
      await sleep(20);
    }
  };
  const changes = Promise.all(Array.from({ length: WAITING }, persist));
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await session.query('rollback');
  await session.end();
  await changes;
  agent.destroy();
  return { changes: sent, ...outcome };
}
