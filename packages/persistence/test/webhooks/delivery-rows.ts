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
     insert into webhook_queues values ('${owner}', '${id}', ${position}, 1, null, 0, null, null)`,
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
export function uuidOf(number: string): string {
  return `lpad(to_hex(${number}), 32, '0')::uuid`;
}
