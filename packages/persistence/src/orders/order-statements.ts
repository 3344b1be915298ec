import type { Owner } from '@orders/domain';
import { type Expression, sql } from 'kysely';
import type { Orm } from '../database.ts';
import { OnceEntity } from '../once/once-entity.ts';
import type { OnceRow, OnceValues } from '../once/once-row.ts';
import { OutboxEntity } from '../outbox/outbox-entity.ts';
import type { OutboxValues } from '../outbox/outbox-row.ts';
import { columnAssignments, columnNames, columnsOf, columnValues } from '../shared/columns.ts';
import { type Parameter, prepare } from '../shared/statement.ts';
import { OrderEntity } from './order-entity.ts';
import { OrderItemEntity } from './order-item-entity.ts';
import type { OrderRow, OrderValues } from './order-row.ts';
import { ORDER_COLUMNS, selectItems } from './select-order.ts';

interface OrderId {
  readonly owner_id: Owner;
  readonly id: string;
}

/** A stretch of one order to write over: the version that was read. */
interface Loaded extends OrderId {
  readonly loaded_version: number;
}

/** What is read before a write: the order, if there is one, and the key's record, if there is one. */
export type LoadedRow = { readonly [Column in keyof OrderRow]: OrderRow[Column] | null } & {
  readonly once_fingerprint: OnceRow['fingerprint'] | null;
  readonly once_snapshot: OnceRow['snapshot'] | null;
  readonly once_expires_at: OnceRow['expires_at'] | null;
};

interface Insert {
  readonly order: OrderValues;
  readonly items: { readonly json: string };
  readonly event: OutboxValues;
}
interface Update {
  readonly order: OrderValues;
  readonly loaded: Loaded;
  readonly event: OutboxValues;
}
interface Delete {
  readonly order: OrderId;
  readonly loaded: Loaded;
  readonly event: OutboxValues;
}
interface WithOnce {
  readonly once: OnceValues;
}

/** What an order's lines are fixed to at creation stays out of every update. */
const FIXED = new Set(['id', 'currency', 'total_amount', 'item_count', 'created_at']);

/** Every statement on orders but the lists, built once. Each carries the owner in every part of it. */
export function orderStatements(orm: Orm) {
  const db = orm.em.getKysely();
  const orders = columnsOf(orm, OrderEntity);
  const items = columnsOf(orm, OrderItemEntity).filter(({ name }) => name !== 'order_id');
  const once = columnsOf(orm, OnceEntity);
  const outbox = columnsOf(orm, OutboxEntity);

  const recordKey = (p: Parameter<WithOnce>, owner: Expression<Owner>) => sql`
    insert into once (owner_id, ${columnNames(once)})
    select ${owner}::text, ${columnValues(once, (name) => p('once', name))}`;

  const recordEvent = (p: Parameter<{ event: OutboxValues }>, owner: Expression<Owner>, source: string) => sql`
    insert into outbox (owner_id, ${columnNames(outbox)})
    select ${owner}::text, ${columnValues(outbox, (name) => p('event', name))} from ${sql.table(source)}`;

  const insertOrder = (p: Parameter<Insert>) => sql`
    placed as (
      insert into orders (owner_id, ${columnNames(orders)})
      select ${p('order', 'owner_id')}::text, ${columnValues(orders, (name) => p('order', name))} from recorded
      returning id
    ),
    lines as (
      insert into order_items (owner_id, order_id, ${columnNames(items)})
      select ${p('order', 'owner_id')}::text, ${p('order', 'id')}::uuid, ${sql.join(
        items.map(({ name }) => sql.ref(`i.${name}`)),
      )}
      from recorded, json_to_recordset(${p('items', 'json')}::json) as i(${sql.join(
        items.map(({ name, type }) => sql`${sql.ref(name)} ${sql.raw(type)}`),
      )})
    ),
    event as (${recordEvent(p, p('order', 'owner_id'), 'recorded')})
    select id from placed`;

  const updateOrder = (p: Parameter<Update>) => sql`
    changed as (
      update orders
      set ${columnAssignments(
        orders.filter(({ name }) => !FIXED.has(name)),
        (name) => p('order', name),
      )}
      where owner_id = ${p('loaded', 'owner_id')} and id = ${p('loaded', 'id')}
        and version = ${p('loaded', 'loaded_version')}
      returning id
    ),
    event as (${recordEvent(p, p('loaded', 'owner_id'), 'changed')})`;

  const deleteOrder = (p: Parameter<Delete>) => sql`
    changed as (
      delete from orders
      where owner_id = ${p('loaded', 'owner_id')} and id = ${p('loaded', 'id')}
        and version = ${p('loaded', 'loaded_version')}
      returning id
    ),
    event as (${recordEvent(p, p('loaded', 'owner_id'), 'changed')})`;

  // Without ON CONFLICT: a key taken since the load must undo the change that came first in this statement.
  const recordKeyOfChange = (p: Parameter<WithOnce & { loaded: Loaded }>) => sql`
    recorded as (${recordKey(p, p('loaded', 'owner_id'))} from changed)`;

  return {
    find: prepare<{ order: OrderId }, OrderRow>(db, (p) =>
      db
        .selectFrom('orders as o')
        .select(ORDER_COLUMNS)
        .select(selectItems(p('order', 'owner_id'), sql.ref('o.id')).as('items'))
        .where('o.owner_id', '=', p('order', 'owner_id'))
        .where('o.id', '=', p('order', 'id')),
    ),

    load: prepare<{ order: OrderId; once: { key: string | null } }, LoadedRow>(db, (p) =>
      db
        .selectFrom(sql<{ one: number }>`(select 1 as one)`.as('always'))
        .leftJoin('orders as o', (join) =>
          join.on('o.owner_id', '=', p('order', 'owner_id')).on('o.id', '=', p('order', 'id')),
        )
        .leftJoin('once as w', (join) =>
          join.on('w.owner_id', '=', p('order', 'owner_id')).on('w.key', '=', p('once', 'key')),
        )
        .select(ORDER_COLUMNS)
        .select(selectItems(p('order', 'owner_id'), p('order', 'id')).as('items'))
        .select([
          'w.fingerprint as once_fingerprint',
          'w.snapshot as once_snapshot',
          'w.expires_at as once_expires_at',
        ]),
    ),

    lock: prepare<{ order: OrderId }, { id: string }>(db, (p) =>
      db
        .selectFrom('orders')
        .select('id')
        .where('owner_id', '=', p('order', 'owner_id'))
        .where('id', '=', p('order', 'id'))
        .forUpdate(),
    ),

    holderOfReference: prepare<{ order: { owner_id: Owner; reference: string | null } }, { id: string }>(db, (p) =>
      db
        .selectFrom('orders')
        .select('id')
        .where('owner_id', '=', p('order', 'owner_id'))
        .where('reference', '=', p('order', 'reference')),
    ),

    /** Whether the customer that an order names is there. */
    customer: prepare<{ order: { owner_id: Owner; customer_id: string | null } }, { id: string }>(db, (p) =>
      db
        .selectFrom('customers')
        .select('id')
        .where('owner_id', '=', p('order', 'owner_id'))
        .where('id', '=', p('order', 'customer_id')),
    ),

    insert: prepare<Insert, { id: string }>(db, (p) => sql`with recorded as (select 1), ${insertOrder(p)}`),

    /**
     * The key comes first and everything else is selected from it: a repeat waits here for the first to end, then
     * finds the key taken and inserts nothing. A record whose time is over gives way.
     */
    insertOnce: prepare<Insert & WithOnce, { id: string }>(
      db,
      (p) => sql`with recorded as (${recordKey(p, p('order', 'owner_id'))}
        on conflict (owner_id, key) do update
        set fingerprint = excluded.fingerprint, snapshot = excluded.snapshot,
          created_at = excluded.created_at, expires_at = excluded.expires_at
        where once.expires_at <= excluded.created_at
        returning 1
      ), ${insertOrder(p)}`,
    ),

    update: prepare<Update, { id: string }>(db, (p) => sql`with ${updateOrder(p)} select id from changed`),

    updateOnce: prepare<Update & WithOnce, { id: string }>(
      db,
      (p) => sql`with ${updateOrder(p)}, ${recordKeyOfChange(p)} select id from changed`,
    ),

    delete: prepare<Delete, { id: string }>(db, (p) => sql`with ${deleteOrder(p)} select id from changed`),

    deleteOnce: prepare<Delete & WithOnce, { id: string }>(
      db,
      (p) => sql`with ${deleteOrder(p)}, ${recordKeyOfChange(p)} select id from changed`,
    ),
  };
}
