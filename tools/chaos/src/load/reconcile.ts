import { isDeepStrictEqual } from 'node:util';
import { query } from '@orders/system-under-test';
import type { Ledger } from './ledger.ts';
import { isRecord, type Resource } from './resource.ts';

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

const timesOf = (names: readonly string[]) =>
  names.map((name) => `'${name}', to_char(${name} at time zone 'UTC', ${TIME})`).join(', ');

/** Selects orders in the format of the API, by SQL alone. Allowed transitions are not stored. */
const ORDERS = `
  select json_build_object(
    'id', id, 'status', status, 'customer_id', customer_id, 'reference', reference, 'note', note,
    'metadata', metadata, 'cancel_reason', cancel_reason, 'version', version,
    'total', json_build_object('amount', total_amount, 'currency', currency),
    ${timesOf(['created_at', 'updated_at', 'paid_at', 'shipped_at', 'delivered_at', 'cancelled_at'])},
    'items', (
      select json_agg(json_build_object(
        'id', i.id, 'sku', i.sku, 'name', i.name, 'quantity', i.quantity,
        'unit_price', json_build_object('amount', i.unit_amount, 'currency', o.currency),
        'total', json_build_object('amount', i.total_amount, 'currency', o.currency)
      ))
      from json_to_recordset(o.items)
        as i(id text, sku text, name text, quantity bigint, unit_amount bigint, total_amount bigint)
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
