import { isDeepStrictEqual } from 'node:util';
import { query } from '@orders/system-under-test';
import type { Client } from './client.ts';
import type { Ledger } from './ledger.ts';
import { isRecord, isResource, type Resource } from './resource.ts';

/** Reads all orders of a client's owner, page by page. */
export async function listOrders(client: Client): Promise<readonly Resource[]> {
  const orders: Resource[] = [];
  let after = '';
  do {
    const { body, text } = await client.send({ method: 'GET', path: `/v1/orders?limit=100${after}` });
    if (!isRecord(body) || !Array.isArray(body['data']) || !isRecord(body['page'])) throw new Error(`no page: ${text}`);
    orders.push(...body['data'].filter(isResource));
    const next = body['page']['next_cursor'];
    after = typeof next === 'string' ? `&after=${next}` : '';
  } while (after !== '');
  return orders;
}

/** Compares all orders, and the events and keys of the database, with the acknowledged changes. Returns the differences. */
export async function reconcile(url: string, ledger: Ledger, orders: readonly Resource[]): Promise<readonly string[]> {
  const events = await query(
    url,
    `select aggregate_id || ' ' || version || ' ' || type as event from orders.changes where aggregate <> 'webhook_endpoint'`,
  );
  const keys = await query(url, `select key, aggregate_id from orders.idempotency`);
  return [
    ...ledger.contradictions,
    ...compareResources(ledger.live, orders),
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

function compareResources(acknowledged: ReadonlyMap<string, Resource>, orders: readonly Resource[]): readonly string[] {
  const kept = new Map(orders.map((order) => [order.id, order]));
  const unknown = orders.filter(({ id }) => !acknowledged.has(id));
  return [
    ...unknown.map((order) => `unacknowledged: ${JSON.stringify(order)}`),
    ...[...acknowledged].flatMap(([id, expected]) => {
      const found = kept.get(id);
      if (isDeepStrictEqual(found, expected)) return [];
      return `${id} was acknowledged as ${JSON.stringify(expected)} but is ${JSON.stringify(found)}`;
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
