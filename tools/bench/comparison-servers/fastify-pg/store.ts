import { Pool, type QueryConfig, type QueryResult, type QueryResultRow, types } from 'pg';
import { environment } from '../shared/environment.ts';
import type { OrderStore } from '../shared/fastify-app.ts';
import { keyed, type Written } from '../shared/keyed.ts';
import {
  cancellation,
  fingerprint,
  type ItemRow,
  keyTimes,
  type OrderRow,
  PAGE,
  presented,
  type PresentedOrder,
  priced,
} from '../shared/order.ts';
import { Rejection } from '../shared/problem.ts';
import { type StatementName, STATEMENTS } from './statements.ts';

// Named statements, and a transaction for writes to several tables.
types.setTypeParser(types.builtins.INT8, Number);
types.setTypeParser(types.builtins.TIMESTAMPTZ, timestampOf);

/** The connections to the database. */
export const pool = new Pool({ connectionString: environment.databaseUrl, max: environment.poolMax });

/** A connection, or several. */
export interface Connected {
  query<Row extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<Row>>;
}

export type FoundOrder = OrderRow<string> & { readonly items: readonly ItemRow[] };

/** Runs a named statement. */
export async function query<Row extends object>(
  client: Connected,
  name: StatementName,
  ...values: readonly unknown[]
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>({ name, text: STATEMENTS[name], values: [...values] });
  return rows;
}

async function transaction<T>(work: (client: Connected) => Promise<T>): Promise<T> {
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

async function record(
  client: Connected,
  owner: string,
  key: string | undefined,
  print: string,
  order: PresentedOrder,
): Promise<void> {
  if (key === undefined) return;
  const { created_at, expires_at } = keyTimes();
  const times = [created_at.toISOString(), expires_at.toISOString()];
  await query(client, 'record', owner, key, print, order.id, JSON.stringify(order), ...times);
}

async function insertEvent(client: Connected, owner: string, event: ReturnType<typeof priced<string>>['event']) {
  const { id, type, aggregate_id, version, changed, occurred_at } = event;
  const values = [id, type, aggregate_id, version, JSON.stringify(changed), occurred_at];
  await query(client, 'insertEvent', owner, ...values);
}

/** Runs a write in a transaction, once for its key. */
async function write(
  owner: string,
  key: string | undefined,
  print: string,
  work: (client: Connected) => Promise<PresentedOrder>,
): Promise<Written> {
  return await keyed(key, print, {
    find: (used) => findRecorded(pool, owner, used),
    write: () => transaction(work),
    isConflict: isKeyConflict,
  });
}

/** Returns what a key recorded. */
export async function findRecorded(client: Connected, owner: string, key: string) {
  const [row] = await query<{ fingerprint: string; snapshot: PresentedOrder }>(client, 'findRecorded', owner, key);
  return row;
}

/** Whether a write failed because its key is used. */
export function isKeyConflict(cause: unknown): boolean {
  return cause instanceof Error && 'constraint' in cause && cause.constraint === 'idempotency_records_pkey';
}

/** Returns the reads of orders over `client`. */
export function readsOf(client: Connected): Pick<OrderStore, 'ownerOfKey' | 'find' | 'list'> {
  return {
    ownerOfKey: async (hash) => {
      const [row] = await query<{ owner_id: string }>(client, 'key', hash);
      return row?.owner_id;
    },

    find: async (owner, id) => {
      const [row] = await query<FoundOrder>(client, 'find', owner, id);
      if (!row) throw new Rejection('order_not_found');
      return presented(row, row.items);
    },

    list: async (owner) => {
      const rows = await query<FoundOrder>(client, 'list', owner, PAGE + 1);
      return rows.map((row) => presented(row, row.items));
    },
  };
}

/** Orders in PostgreSQL, by handwritten SQL. */
export const store: OrderStore = {
  ...readsOf(pool),

  create: (owner, body, key) => {
    const print = fingerprint('place_order', body);
    return write(owner, key, print, async (client) => {
      const { order: row, items, event } = priced(body, new Date().toISOString());
      const { id, status, customer_id, reference, currency, total_amount, item_count, note, metadata, version } = row;
      const order = presented(row, items);
      await record(client, owner, key, print, order);
      const columns = [customer_id, reference, currency, total_amount, item_count, note, JSON.stringify(metadata)];
      await query(client, 'insertOrder', owner, id, status, ...columns, version, row.created_at, row.updated_at);
      const lines = (['line', 'id', 'sku', 'name', 'quantity', 'unit_amount', 'total_amount'] as const).map((name) =>
        items.map((item) => item[name]),
      );
      await query(client, 'insertItems', owner, id, ...lines);
      await insertEvent(client, owner, event);
      return order;
    });
  },

  cancel: (owner, id, reason, key) => {
    const print = fingerprint('change_order', id, reason);
    return write(owner, key, print, async (client) => {
      const [before] = await query<FoundOrder>(client, 'lock', owner, id);
      if (!before) throw new Rejection('order_not_found');
      const at = [before.updated_at, new Date().toISOString()].toSorted().at(-1) ?? '';
      const { change, event } = cancellation(before, reason, at);
      const order = presented({ ...before, ...change }, before.items);
      await query(client, 'cancel', owner, id, reason, at);
      await insertEvent(client, owner, event);
      await record(client, owner, key, print, order);
      return order;
    });
  },
};

/** Converts a `timestamptz(3)` of a UTC session to RFC 3339. Accepts `2026-01-02 03:04:05.67+00`, or with a T as in JSON. */
function timestampOf(text: string): string {
  const time = text.slice(11, text.indexOf('+'));
  return `${text.slice(0, 10)}T${time.length === 8 ? `${time}.000` : time.padEnd(12, '0')}Z`;
}
