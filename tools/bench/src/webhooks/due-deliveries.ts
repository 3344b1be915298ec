import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { placeOrders } from '../load/place-orders.ts';
import type { Receiver } from './receiver.ts';
import { registerEndpoints, send } from './register-endpoints.ts';
import type { Tenant } from './webhooks-site.ts';

/** An endpoint with many due deliveries, which is disabled at first. */
export interface DueDeliveries {
  readonly set: (status: 'enabled' | 'disabled') => Promise<void>;
}

/** Gives an owner an endpoint with so many due deliveries, each of another order, as after a time without a worker. */
export async function dueDeliveries(
  client: Client,
  receiver: Receiver,
  port: number,
  { owner, apiKey }: Tenant,
  count: number,
): Promise<DueDeliveries> {
  const [id = ''] = await registerEndpoints(receiver, port, apiKey, [{ reported: false }]);
  await placeOrders(port, [apiKey], 1);
  await firstDelivered(client, owner);
  const path = `/v1/webhook_endpoints/${id}`;
  const set = async (status: 'enabled' | 'disabled') => {
    await send(port, apiKey, { method: 'PATCH', path, body: { status }, status: 200 });
  };
  await set('disabled');
  const { rows } = await client.query<{ last: string }>(
    'select max(position) as last from orders.changes where owner_id = $1',
    [owner],
  );
  const last = rows[0]?.last;
  await client.query(
    `insert into orders.changes
       (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format, position)
     select $1, 'order', uuidv7(), 1, uuidv7(), 'order.placed', '[]', now(), 1, $3::bigint + n
     from generate_series(1, $2::int) n`,
    [owner, count, last],
  );
  await client.query(
    `insert into orders.webhook_deliveries (owner_id, endpoint_id, position, event_id, type, aggregate, aggregate_id, version,
       status, attempts, fresh, redelivery, due_at, fence)
     select $1, $2, c.position, c.event_id, c.type, c.aggregate, c.aggregate_id, c.version,
       'pending', 0, true, false, now(), 0
     from orders.changes as c where c.owner_id = $1 and c.position > $3`,
    [owner, id, last],
  );
  await client.query('update orders.webhook_queues set position = position + $2 where owner_id = $1', [owner, count]);
  return { set };
}

/** Waits until the worker has made the queue of an owner's endpoint, and has delivered the first event. */
async function firstDelivered(client: Client, owner: string): Promise<void> {
  const query = `select from orders.webhook_deliveries where owner_id = $1 and status = 'delivered'`;
  while ((await client.query(query, [owner])).rows.length === 0) await sleep(20);
}
