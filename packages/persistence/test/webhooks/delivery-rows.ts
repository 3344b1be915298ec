import { execute } from '../execute.ts';

/** The id of the endpoint number `number`. */
export function endpointId(number: number): string {
  return `019b0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

/** Stores an enabled endpoint that wants everything, and its queue. It gets the first free slot of its owner. */
export async function insertEndpoint(url: string, owner: string, id: string, position = 0): Promise<void> {
  await execute(
    url,
    `insert into webhook_endpoints
     select '${owner}', '${id}', 'https://receiver.example/', null, '[]', null, 'enabled', null,
       '[{"serial":1,"key":"key","expires_at":null}]', 0,
       (select count(*) + 1 from webhook_endpoints where owner_id = '${owner}'), 1, '2026-01-01', '2026-01-01';
     insert into webhook_queues values ('${owner}', '${id}', ${position}, 1, null, 0, null, null, 0)`,
  );
}

/** Members of stored deliveries, as expressions of SQL about their position `n`. */
interface DeliveryColumns {
  readonly status?: string;
  readonly aggregateId?: string;
  readonly fresh?: string;
  readonly dueAt?: string;
}

/** Stores deliveries with the positions from `first` to `last`, each of an order of its own, due since an hour. */
export async function insertDeliveries(
  url: string,
  owner: string,
  id: string,
  [first, last]: readonly [number, number],
  {
    status = `'pending'`,
    aggregateId = uuidOf('n'),
    fresh = 'true',
    dueAt = `now() - interval '1 hour'`,
  }: DeliveryColumns = {},
): Promise<void> {
  await execute(
    url,
    `insert into webhook_deliveries
     select '${owner}', '${id}', n, ${uuidOf('n')}, 'order.placed', 'order', ${aggregateId}, 1, ${status}, 0, ${fresh},
       false, ${dueAt}, null, 0, null, null, null, null
     from generate_series(${first}, ${last}) as n`,
  );
}

/** Returns the expression of the id that belongs to a number. */
function uuidOf(number: string): string {
  return `lpad(to_hex(${number}), 32, '0')::uuid`;
}

/** Stores the versions from `first` to `last` of the order number `order`, each at the second of its version. */
export async function insertVersions(
  url: string,
  owner: string,
  order: number,
  [first, last]: readonly [number, number],
  from = '2026-01-01',
): Promise<void> {
  await execute(
    url,
    `insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
     select '${owner}', 'order', ${uuidOf(`${order}`)}, n, gen_random_uuid(),
       case when n = 1 then 'order.placed' else 'order.changed' end, '[]',
       timestamptz '${from}' + n * interval '1 second', 1
     from generate_series(${first}, ${last}) as n`,
  );
}

/** Returns the deliveries of an owner as they are stored, by endpoint and position. */
export async function storedDeliveries(url: string, owner: string) {
  return await execute<{
    endpoint_id: string;
    position: string;
    status: string;
    attempts: number;
    is_due: boolean;
    is_leased: boolean;
  }>(
    url,
    `select endpoint_id, position, status, attempts, due_at <= now() is true as is_due, leased_until > now() is true as is_leased
     from webhook_deliveries where owner_id = '${owner}' order by endpoint_id, position`,
  );
}

/** An attempt that the endpoint accepted, with its settlement. */
export const ACCEPTED = [
  { status: 204, error: null, duration_ms: 1, retryAfterMs: null },
  { status: 'delivered', retryInMs: null },
] as const;

/** Returns an attempt that the endpoint rejected, with its settlement: the delivery fails finally without a further time. */
export function rejected(retryInMs: number | null) {
  return [
    { status: 500, error: 'status_not_accepted', duration_ms: 1, retryAfterMs: null },
    { status: retryInMs === null ? 'failed' : 'pending', retryInMs },
  ] as const;
}

/** Changes the status of an endpoint, with its change record, as its repository does. */
export async function setStatus(url: string, owner: string, id: string, status: 'enabled' | 'disabled'): Promise<void> {
  const reason = status === 'enabled' ? 'null' : `'requested'`;
  await execute(
    url,
    `with changed as (
       update webhook_endpoints set status = '${status}', disabled_reason = ${reason}, version = version + 1
       where owner_id = '${owner}' and id = '${id}' returning version)
     insert into changes (owner_id, aggregate, aggregate_id, version, changed, occurred_at, snapshot_format)
     select '${owner}', 'webhook_endpoint', '${id}', version, '["status"]', now(), 1 from changed`,
  );
}
