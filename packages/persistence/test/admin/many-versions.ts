import { anOrder } from '@orders/domain/testing';
import { toOrderSnapshot } from '../../src/orders/order-snapshot.ts';
import { execute } from '../fixtures/execute.ts';

const OWNERS = 200;
/** The owner and the order with many versions, each of which was sent to several endpoints. */
export const [OWNER, ORDER] = ['owner 7', 'ffffffff-0000-7000-8000-000000000007'];
export const [VERSIONS, ENDPOINTS] = [1000, 5];

/** Fills a database with orders of two hundred owners, a version and a delivery each, and one with many of both. */
export async function fillWithVersions(url: string, orders: number): Promise<void> {
  const { items, ...order } = anOrder();
  const stored = JSON.stringify(
    items.map(({ id, sku, name, quantity, unit_price }) => ({
      id,
      sku,
      name,
      quantity,
      unit_amount: unit_price.amount,
    })),
  ).replaceAll("'", "''");
  const snapshot = JSON.stringify(toOrderSnapshot({ ...order, items }, null)).replaceAll("'", "''");
  const id = `('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`;
  const at = `timestamptz '2026-01-01' + n * interval '1 second'`;
  const owner = `'owner ' || n % ${OWNERS}`;
  const place = (of: string, ofId: string, from: string) => `
    insert into orders (owner_id, id, status, reference, currency, total_amount, element_count, metadata, items, version, created_at,
      updated_at)
    select ${of}, ${ofId}, case when n % 3 = 0 then 'paid' else 'pending' end, 'ref ' || n, 'EUR', n % 100000, 1, '{}', '${stored}',
      1, ${at}, ${at} from ${from}`;
  const change = (of: string, ofId: string, version: string, from: string) => `
    insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot, snapshot_format,
      position)
    select ${of}, 'order', ${ofId}, ${version}, ${id}, 'order.placed', '[]', ${at}, '${snapshot}', 1, n from ${from}`;
  const deliver = (of: string, version: string, from: string) => `
    insert into webhook_deliveries
    select ${of}, lpad(e::text, 32, '0')::uuid, n, ${id}, 'order.placed', 'order', '${ORDER}', ${version}, 'failed', 4, false, false,
      null, null, 1, null, 503, 'status_not_accepted', 9 from ${from}`;
  const all = `generate_series(1, ${orders}) as n`;
  const many = `generate_series(${orders + 1}, ${orders + VERSIONS}) as n`;
  for (const text of [
    `insert into feeds (owner_id, purged) select 'owner ' || n, 0 from generate_series(0, ${OWNERS - 1}) as n`,
    place(owner, id, all),
    place(`'${OWNER}'`, `'${ORDER}'`, `generate_series(${orders + 1}, ${orders + 1}) as n`),
    `insert into order_lookups select owner_id, 'external.shop', reference, created_at, id from orders`,
    change(owner, id, '1', all),
    change(`'${OWNER}'`, `'${ORDER}'`, `n - ${orders}`, many),
    deliver(owner, '1', `${all}, generate_series(1, 1) as e`),
    deliver(`'${OWNER}'`, `n - ${orders}`, `${many}, generate_series(1, ${ENDPOINTS}) as e`),
    'vacuum analyze',
  ])
    await execute(url, text);
}
