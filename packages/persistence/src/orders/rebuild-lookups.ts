import { type Buyer, type ExternalIds, lookupsOf, type Owner } from '@orders/domain';
import type { OrdersDatabase } from '../database/database.ts';
import { callOf } from '../sql/database-function.ts';
import { sql } from '../sql/sql.ts';
import { prepare } from '../sql/statement.ts';
import { lookupsText, setLookups } from './order-lookups.ts';

/** Orders that are read at a time. */
const PAGE = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** What the lookups of an order are made of, and those that are stored. */
interface Found {
  readonly id: string;
  readonly version: number;
  readonly external_ids: ExternalIds | null;
  readonly buyer: Buyer | null;
  readonly custom: unknown;
  readonly stored: readonly string[] | null;
}

const FOUND = sql`o.id, o.version, o.external_ids, o.buyer, o.custom`;
const STORED = sql`select json_agg(l.name || ':' || l.value) from our.order_lookups as l`;

/**
 * Gives all orders of an owner the lookups of the definition of the database, and returns how many had others. Orders may be
 * written meanwhile. Repeating it, also after it has failed, only reads the orders that have them.
 *
 * @throws {Error} a database query failed
 */
export async function rebuildLookups(database: OrdersDatabase, owner: Owner): Promise<number> {
  const { orm, primary, definition, reportLeftOut } = database;
  const page = prepare<{ readonly owner_id: Owner; readonly after: string }, Found>(orm)`
    select ${FOUND}, (${STORED} where l.owner_id = ${'owner_id'} and l.order_id = o.id) as stored
    from our.orders as o where o.owner_id = ${'owner_id'} and o.id > ${'after'}::uuid order by o.id limit ${sql.lit(PAGE)}`;
  const one = prepare<{ readonly owner_id: Owner; readonly id: string }, Found>(orm)`
    select ${FOUND}, (${STORED} where l.owner_id = ${'owner_id'} and l.order_id = o.id) as stored
    from our.orders as o where o.owner_id = ${'owner_id'} and o.id = ${'id'}::uuid`;
  const set = callOf<'written' | 'stale'>(orm, setLookups);

  /** Returns whether the order had other lookups. It may have changed since it was read. */
  const rebuild = async (read: Found): Promise<boolean> => {
    for (let order: Found | undefined = read; order;) {
      const { id, version } = order;
      const custom = definition.custom && order.custom;
      const found = lookupsOf(definition, { external_ids: order.external_ids ?? {}, buyer: order.buyer, custom });
      reportLeftOut(id, found);
      if (isStored(found.lookups, order.stored ?? [])) return false;
      const [row] = await set(primary, { owner_id: owner, id, version, lookups: lookupsText(found) });
      if (row?.outcome === 'written') return true;
      const again: readonly Found[] = await one(primary, { owner_id: owner, id });
      order = again[0];
    }
    return false;
  };

  let count = 0;
  for (let after: string | undefined = FIRST_ID; after !== undefined;) {
    const orders: readonly Found[] = await page(primary, { owner_id: owner, after });
    for (const order of orders) if (await rebuild(order)) count += 1;
    after = orders.length < PAGE ? undefined : orders.at(-1)?.id;
  }
  return count;
}

function isStored(lookups: ReturnType<typeof lookupsOf>['lookups'], stored: readonly string[]): boolean {
  const wanted = new Set(lookups.map((lookup) => lookup.join(':')));
  return wanted.size === stored.length && stored.every((lookup) => wanted.has(lookup));
}
