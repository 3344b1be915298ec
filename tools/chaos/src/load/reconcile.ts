import { isDeepStrictEqual } from 'node:util';
import { query } from '@orders/system-under-test';
import type { Ledger } from './ledger.ts';
import { isRecord, type Resource } from './resource.ts';

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

const timesOf = (names: readonly string[]) =>
  names.map((name) => `'${name}', to_char(${name} at time zone 'UTC', ${TIME})`).join(', ');

/** Selects the items of the order `o` with their quantities, each of which is 0 until something happens to the item. */
const ITEMS = `
  select id, sku, name, line, quantity, unit_amount, fulfilled, cancelled, returned,
    (quantity - cancelled) * unit_amount as total_amount
  from rows from (json_to_recordset(o.items) as (id text, sku text, name text, quantity bigint, unit_amount bigint))
    with ordinality as i(id, sku, name, quantity, unit_amount, line),
    lateral (select o.quantities -> (line::int - 1) as happened) as h,
    lateral (
      select coalesce((happened ->> 0)::bigint, 0) as fulfilled, coalesce((happened ->> 1)::bigint, 0) as cancelled,
        coalesce((happened ->> 2)::bigint, 0) as returned
    ) as q`;

/** Selects orders in the format of the API, by SQL alone. Allowed transitions are not stored. */
const ORDERS = `
  select json_build_object(
    'id', id, 'status', status, 'customer_id', customer_id, 'reference', reference, 'note', note,
    'metadata', metadata, 'cancel_reason', cancel_reason, 'version', version,
    'total', json_build_object('amount', total_amount, 'currency', currency),
    ${timesOf(['created_at', 'updated_at', 'paid_at', 'shipped_at', 'delivered_at', 'cancelled_at', 'erased_at'])},
    'subtotal', (
      select json_build_object('amount', sum(total_amount), 'currency', o.currency) from (${ITEMS}) as i
    ),
    'items', (
      select json_agg(json_build_object(
        'id', id, 'sku', sku, 'name', name, 'quantity', quantity, 'fulfilled_quantity', fulfilled,
        'cancelled_quantity', cancelled, 'returned_quantity', returned,
        'unit_price', json_build_object('amount', unit_amount, 'currency', o.currency),
        'total', json_build_object('amount', total_amount, 'currency', o.currency)
      ) order by line)
      from (${ITEMS}) as i
    ),
    'adjustments', (
      select coalesce(json_agg(json_build_object(
        'id', id, 'type', type, 'name', name, 'amount', json_build_object('amount', amount, 'currency', o.currency),
        'item_id', item_id, 'included', coalesce(included, false), 'created_at', created_at
      )), '[]')
      from json_to_recordset(o.adjustments)
        as a(id text, type text, name text, amount bigint, item_id text, included boolean, created_at text)
    ),
    'fulfillments', (
      select coalesce(json_agg(json_build_object(
        'id', id, 'created_at', created_at, 'items', items, 'tracking', tracking, 'cancelled_at', cancelled ->> 0
      )), '[]')
      from json_to_recordset(o.fulfillments)
        as f(id text, created_at text, items json, tracking json, cancelled json)
    )
  ) as found
  from orders.orders o`;

/** Compares the database directly with the acknowledged changes, and returns all differences. */
export async function reconcile(url: string, ledger: Ledger): Promise<readonly string[]> {
  const orders = await query(url, ORDERS);
  const events = await query(
    url,
    `select aggregate_id || ' ' || version || ' ' || type as event from orders.changes where aggregate <> 'webhook_endpoint'`,
  );
  const keys = await query(url, `select key, aggregate_id from orders.idempotency`);
  return [
    ...ledger.contradictions,
    ...compareResources(
      ledger.live,
      orders.map(({ found }) => found),
    ),
    ...compareLists(
      'event',
      ledger.events,
      events.map(({ event }) => String(event)),
    ),
    ...compareLists(
      'record of a key',
      new Set([...ledger.keys].map(([key, id]) => `${key} of ${id}`)),
      keys.map(({ key, aggregate_id }) => `${String(key)} of ${String(aggregate_id)}`),
    ),
  ];
}

function compareResources(acknowledged: ReadonlyMap<string, Resource>, rows: readonly unknown[]): readonly string[] {
  const kept = new Map(rows.flatMap((row) => (isRecord(row) ? [[String(row['id']), row]] : [])));
  const unknown = [...kept.keys()].filter((id) => !acknowledged.has(id));
  return [
    ...unknown.map((id) => `unacknowledged: ${id}: ${JSON.stringify(kept.get(id))}`),
    ...[...acknowledged].flatMap(([id, resource]) => {
      const { available_transitions: _, ...expected } = resource;
      const found = kept.get(id);
      if (isDeepStrictEqual(found, expected)) return [];
      return `${id} was acknowledged as ${JSON.stringify(expected)} but stored as ${JSON.stringify(found)}`;
    }),
  ];
}

function compareLists(what: string, expected: ReadonlySet<string>, found: readonly string[]): readonly string[] {
  const set = new Set(found);
  return [
    ...found.filter((entry) => !expected.has(entry)).map((entry) => `unacknowledged ${what}: ${entry}`),
    ...[...expected].filter((entry) => !set.has(entry)).map((entry) => `no ${what}: ${entry}`),
    ...(found.length > set.size ? [`${found.length - set.size} duplicates of ${what}`] : []),
  ];
}
