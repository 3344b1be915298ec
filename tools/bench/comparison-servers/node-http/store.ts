import { findRecorded, findRow, isKeyConflict, pool, query, store as handwritten } from '../fastify-pg/store.ts';
import type { OrderStore } from '../shared/fastify-app.ts';
import { keyed, type Written } from '../shared/keyed.ts';
import { cancellation, fingerprint, keyTimes, presented, type PresentedOrder, priced } from '../shared/order.ts';

const KEYS_MAX = 100_000;

/** Keys that this process used. Only for these is a record looked up first, so that a new key costs no statement. */
const usedKeys = new Set<string>();

/** A concurrent request changed the order that was read. */
class Conflict extends Error {}

/** Orders in PostgreSQL: one statement for each write, which stores the order, its event and the key. */
export const store: OrderStore = {
  ...handwritten,

  create: (owner, body, key) => {
    const print = fingerprint('place_order', body);
    return write(owner, key, print, async () => {
      const { order: row, items, event } = priced(body, new Date().toISOString());
      const order = presented(row, items);
      const columns = [row.customer_id, row.reference, row.currency, row.total_amount, row.item_count, row.note];
      const lines = (['line', 'id', 'sku', 'name', 'quantity', 'unit_amount', 'total_amount'] as const).map((name) =>
        items.map((item) => item[name]),
      );
      const placed = [row.id, row.status, ...columns, JSON.stringify(row.metadata), row.version, row.created_at];
      await query(pool, 'createAtOnce', owner, ...placed, ...lines, event.id, ...recordOf(key, print, order));
      return order;
    });
  },

  cancel: (owner, id, reason, key) => {
    const print = fingerprint('change_order', id, reason);
    return write(owner, key, print, async () => {
      const before = await findRow(owner, id);
      const at = [before.updated_at, new Date().toISOString()].toSorted().at(-1) ?? '';
      const { change, event } = cancellation(before, reason, at);
      const order = presented({ ...before, ...change }, before.items);
      const changed = [reason, at, before.version, event.id, JSON.stringify(event.changed)];
      const rows = await query(pool, 'cancelAtOnce', owner, id, ...changed, ...recordOf(key, print, order));
      if (rows.length === 0) throw new Conflict();
      return order;
    });
  },
};

/** Returns the parameters of an idempotency record: key, fingerprint, snapshot, time of expiry. */
function recordOf(key: string | undefined, print: string, order: PresentedOrder): readonly unknown[] {
  return [key, print, JSON.stringify(order), keyTimes().expires_at.toISOString()];
}

async function write(
  owner: string,
  key: string | undefined,
  print: string,
  work: () => Promise<PresentedOrder>,
): Promise<Written> {
  const place = `${owner} ${key}`;
  let isNew = !usedKeys.has(place);
  return await keyed(key, print, {
    find: async (used) => {
      const found = isNew ? undefined : await findRecorded(owner, used);
      isNew = false;
      return found;
    },
    write: async () => {
      const order = await work();
      if (key !== undefined) usedKeys.add(place);
      if (usedKeys.size > KEYS_MAX) usedKeys.delete(usedKeys.values().next().value ?? '');
      return order;
    },
    isConflict: (cause) => cause instanceof Conflict || isKeyConflict(cause),
  });
}
