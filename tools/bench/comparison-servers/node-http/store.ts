import { randomUUIDv7 } from 'node:crypto';
import { Client } from 'pg';
import { type Connected, findRecorded, type FoundOrder, isKeyConflict, query, readsOf } from '../fastify-pg/store.ts';
import { environment } from '../shared/environment.ts';
import type { OrderStore } from '../shared/fastify-app.ts';
import { keyed, type Written } from '../shared/keyed.ts';
import { fingerprint, keyTimes, presented, type PresentedOrder, priced } from '../shared/order.ts';
import { Rejection } from '../shared/problem.ts';

const KEYS_MAX = 100_000;

/** Keys that this process used. Only for these is a record looked up first, so that a new key costs no statement. */
const usedKeys = new Set<string>();

/** Connections, each with several statements under way. They are few, so that statements share packets and wake-ups. */
const CONNECTIONS = 3;
const clients = Array.from(
  { length: CONNECTIONS },
  () => new Client({ connectionString: environment.databaseUrl, pipeline: true }),
);
await Promise.all(clients.map((client) => client.connect()));
let sent = 0;

/** Sends each statement over the next connection, without a wait for those before. */
const pipelined: Connected = {
  query: (config) => {
    sent += 1;
    const client = clients[sent % CONNECTIONS];
    if (!client) throw new Error('there are no connections');
    return client.query(config);
  },
};
const reads = readsOf(pipelined);

/** Orders in PostgreSQL: one statement for each write, which stores the order, its event and the key. */
export const store: OrderStore = {
  ...reads,

  create: (owner, body, key) => {
    const print = fingerprint('place_order', body);
    const work = async () => {
      const { order: row, items, event } = priced(body, new Date().toISOString());
      const order = presented(row, items);
      const columns = [row.customer_id, row.reference, row.currency, row.total_amount, row.item_count, row.note];
      const lines = (['line', 'id', 'sku', 'name', 'quantity', 'unit_amount', 'total_amount'] as const).map((name) =>
        items.map((item) => item[name]),
      );
      const placed = [row.id, row.status, ...columns, JSON.stringify(row.metadata), row.version, row.created_at];
      await query(pipelined, 'createAtOnce', owner, ...placed, ...lines, event.id, ...recordOf(key, print, order));
      return order;
    };
    return write(owner, key, print, work);
  },

  cancel: (owner, id, reason, key) => {
    const print = fingerprint('change_order', id, reason);
    const work = async () => {
      const changed = JSON.stringify(['status', 'cancelled_at', ...(reason === null ? [] : ['cancel_reason'])]);
      const values = [id, reason, new Date().toISOString(), randomUUIDv7(), changed];
      const record = [key, print, keyTimes().expires_at.toISOString()];
      const [row] = await query<FoundOrder>(pipelined, 'cancelAtOnce', owner, ...values, ...record);
      if (row) return presented(row, row.items);
      await reads.find(owner, id);
      throw new Rejection('order_already_cancelled');
    };
    return write(owner, key, print, work, () => reads.find(owner, id));
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
  find?: () => Promise<PresentedOrder>,
): Promise<Written> {
  const place = `${owner} ${key}`;
  let isNew = !usedKeys.has(place);
  return await keyed(key, print, {
    find: async (used) => {
      const found = isNew ? undefined : await findRecorded(pipelined, owner, used);
      isNew = false;
      return found && find ? { ...found, snapshot: await find() } : found;
    },
    write: async () => {
      const order = await work();
      if (key !== undefined) usedKeys.add(place);
      if (usedKeys.size > KEYS_MAX) usedKeys.delete(usedKeys.values().next().value ?? '');
      return order;
    },
    // The write of the key may be the reason.
    isConflict: (cause) => isKeyConflict(cause) || (key !== undefined && cause instanceof Rejection),
  });
}
