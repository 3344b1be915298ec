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
import { Rejection } from '../shared/problem.ts';
import { timestampOf } from '../shared/timestamp.ts';
import { type StatementName, STATEMENTS } from './statements.ts';

/** Fastify with handwritten SQL on `pg`: named statements, and a transaction for writes to several tables. */
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

/** Returns the recorded response of the key. `undefined` for an unused key. */
async function findRecorded(owner: string, key: string | undefined, print: string): Promise<Written | undefined> {
  if (key === undefined) return undefined;
  const [row] = await query<{ fingerprint: string; snapshot: PresentedOrder }>(pool, 'findRecorded', owner, key);
  if (!row) return undefined;
  if (row.fingerprint !== print) throw new Rejection('idempotency_key_reused');
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

/** Runs a write. Looks up its key again if a concurrent request used it first. */
async function keyed(
  owner: string,
  key: string | undefined,
  print: string,
  write: (client: PoolClient) => Promise<PresentedOrder>,
): Promise<Written> {
  const earlier = await findRecorded(owner, key, print);
  if (earlier) return earlier;
  try {
    return { order: await transaction(write), replayed: false };
  } catch (cause) {
    const concurrent = isKeyTaken(cause) ? await findRecorded(owner, key, print) : undefined;
    if (concurrent) return concurrent;
    throw cause;
  }
}

function isKeyTaken(cause: unknown): boolean {
  return cause instanceof Error && 'constraint' in cause && cause.constraint === 'idempotency_records_pkey';
}

const store: OrderStore = {
  ownerOfKey: async (hash) => {
    const [row] = await query<{ owner_id: string }>(pool, 'key', hash);
    return row?.owner_id;
  },

  find: async (owner, id) => {
    const [row] = await query<FoundOrder>(pool, 'find', owner, id);
    if (!row) throw new Rejection('order_not_found');
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
      if (!before) throw new Rejection('order_not_found');
      if (TRANSITIONS[before.status]?.includes('cancelled') !== true) throw new Rejection('order_already_cancelled');
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
