import { randomUUIDv7 } from 'node:crypto';
import { Pool, type PoolClient, types } from 'pg';
import { type OrderStore, serveOrders, type Written } from '../fastify-shared/orders-app.ts';
import { environment } from '../shared/environment.ts';
import {
  changedByCancelling,
  expiry,
  fingerprint,
  type ItemRow,
  type NewOrder,
  type OrderRow,
  presented,
  type PresentedOrder,
  priced,
  TRANSITIONS,
} from '../shared/order.ts';
import { Refusal } from '../shared/problem.ts';
import { timestampOf } from '../shared/timestamp.ts';
import { type StatementName, STATEMENTS } from './statements.ts';

/** Fastify with `pg` by hand: named statements, and a transaction for whatever writes to several tables. */
types.setTypeParser(types.builtins.INT8, Number);
types.setTypeParser(types.builtins.TIMESTAMPTZ, timestampOf);

const pool = new Pool({ connectionString: environment.databaseUrl, max: environment.poolMax });

type FoundOrder = OrderRow<string> & { readonly items: readonly ItemRow[] };

async function query<Row extends object>(
  client: Pool | PoolClient,
  name: StatementName,
  ...values: readonly unknown[]
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>({ name, text: STATEMENTS[name], values: [...values] });
  return rows;
}

async function transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (cause) {
    await client.query('rollback');
    throw cause;
  } finally {
    client.release();
  }
}

/** What the key was used for before, if it was. */
async function recall(owner: string, key: string | undefined, print: string): Promise<Written | undefined> {
  if (key === undefined) return undefined;
  const [row] = await query<{ fingerprint: string; snapshot: PresentedOrder }>(pool, 'recall', owner, key);
  if (!row) return undefined;
  if (row.fingerprint !== print) throw new Refusal('idempotency_key_reused');
  return { order: row.snapshot, replayed: true };
}

async function record(
  client: PoolClient,
  owner: string,
  key: string | undefined,
  print: string,
  order: PresentedOrder,
  now: Date,
): Promise<void> {
  if (key === undefined) return;
  const values = [owner, key, print, order.id, JSON.stringify(order), now.toISOString(), expiry(now).toISOString()];
  await query(client, 'record', ...values);
}

/** Runs a write, and once more looks for its key when another request took it meanwhile. */
async function keyed(
  owner: string,
  key: string | undefined,
  print: string,
  write: (client: PoolClient) => Promise<PresentedOrder>,
): Promise<Written> {
  const earlier = await recall(owner, key, print);
  if (earlier) return earlier;
  try {
    return { order: await transaction(write), replayed: false };
  } catch (cause) {
    const meanwhile = isKeyTaken(cause) ? await recall(owner, key, print) : undefined;
    if (meanwhile) return meanwhile;
    throw cause;
  }
}

function isKeyTaken(cause: unknown): boolean {
  return cause instanceof Error && 'constraint' in cause && cause.constraint === 'once_pkey';
}

const store: OrderStore = {
  ownerOfKey: async (hash) => {
    const [row] = await query<{ owner_id: string }>(pool, 'key', hash);
    return row?.owner_id;
  },

  find: async (owner, id) => {
    const [row] = await query<FoundOrder>(pool, 'find', owner, id);
    if (!row) throw new Refusal('order_not_found');
    return presented(row, row.items);
  },

  list: async (owner, limit) => {
    const rows = await query<FoundOrder>(pool, 'list', owner, limit + 1);
    return rows.map((row) => presented(row, row.items));
  },

  create: (owner, body: NewOrder, key) => {
    const now = new Date();
    const print = fingerprint('place_order', body);
    return keyed(owner, key, print, async (client) => {
      const at = now.toISOString();
      const { order: row, items } = priced(body, at);
      const { id, status, customer_id, reference, currency, total_amount, item_count, note, metadata, version } = row;
      const order = presented(row, items);
      await record(client, owner, key, print, order, now);
      const columns = [customer_id, reference, currency, total_amount, item_count, note, JSON.stringify(metadata)];
      await query(client, 'insertOrder', owner, id, status, ...columns, version, at, at);
      const lines = (['line', 'id', 'sku', 'name', 'quantity', 'unit_amount', 'total_amount'] as const).map((name) =>
        items.map((item) => item[name]),
      );
      await query(client, 'insertItems', owner, id, ...lines);
      await query(client, 'insertEvent', owner, randomUUIDv7(), 'order.placed', id, version, '[]', at);
      return order;
    });
  },

  cancel: (owner, id, reason, key) => {
    const now = new Date();
    const print = fingerprint('change_order', id, reason);
    return keyed(owner, key, print, async (client) => {
      const [before] = await query<FoundOrder>(client, 'lock', owner, id);
      if (!before) throw new Refusal('order_not_found');
      if (TRANSITIONS[before.status]?.includes('cancelled') !== true) throw new Refusal('order_already_cancelled');
      const at = [before.updated_at, now.toISOString()].toSorted().at(-1) ?? '';
      const times = { updated_at: at, cancelled_at: at };
      const version = before.version + 1;
      const row = { ...before, ...times, status: 'cancelled', cancel_reason: reason, version };
      const order = presented(row, before.items);
      await query(client, 'cancel', owner, id, reason, at);
      const changed = JSON.stringify(changedByCancelling(reason));
      await query(client, 'insertEvent', owner, randomUUIDv7(), 'order.cancelled', id, version, changed, at);
      await record(client, owner, key, print, order, now);
      return order;
    });
  },
};

await serveOrders(store);
