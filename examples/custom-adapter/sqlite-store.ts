import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  type Customer,
  type CustomerEvent,
  type CustomerHasOrders,
  type CustomerNotFound,
  type CustomerRepository,
  type DomainEvent,
  type EmailTaken,
  emailKey,
  freeTextBytes,
  type Order,
  type OrderEvent,
  type OrderNotFound,
  type OrderQuery,
  type OrderRepository,
  type OrderVersion,
  type OrderVersionQuery,
  type Owner,
  PAGE_BYTES_MAX,
  PAGE_ITEMS_MAX,
  type ReferenceTaken,
  type UnknownCustomer,
} from '@orders/domain';
import { err, ok } from 'neverthrow';
import { aggregates, type Change, type Done, firstPage } from './aggregates.ts';
import { orUnavailable } from './transaction.ts';

/** Both repositories over one SQLite file. */
export interface SqliteStore {
  readonly orders: OrderRepository;
  readonly customers: CustomerRepository;
  /** The events recorded for `owner`, oldest first. */
  readonly events: (owner: Owner) => Promise<readonly DomainEvent<string>[]>;
  readonly close: () => void;
}

/** Opens the file at `path`, making it and its tables when absent. */
export function openSqliteStore(path: string): SqliteStore {
  const db = new DatabaseSync(path, { timeout: 5000 });
  db.exec('pragma journal_mode = wal');
  db.exec(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'));
  const orders = sqliteOrders(db);
  const customers = sqliteCustomers(db);
  return {
    orders: {
      find: orders.find,
      delete: orders.delete,
      insert: (owner, { order, event }, once) => orders.insert(owner, order, event, once).map(orderWritten),
      list: (owner, query) => orders.page(owner, query, conditionsOf(query), roomForOrders()),
      update: (owner, id, change, once) =>
        orders
          .update(
            owner,
            id,
            (before) => change(before).map(({ order, ...rest }) => ({ aggregate: order, ...rest })),
            once,
          )
          .map(orderWritten),
      listVersions: (owner, id, query) => orUnavailable(() => listVersions(orders.changes, owner, id, query)),
      findVersion: (owner, id, version) =>
        orUnavailable(() => {
          const [found] = orders.changes(owner, id, 'version = ?', version);
          return found ? ok(toVersion(found)) : err({ type: 'version_not_found', id });
        }),
    },
    customers: {
      find: customers.find,
      delete: customers.delete,
      insert: (owner, { customer, event }, once) => customers.insert(owner, customer, event, once).map(customerWritten),
      list: (owner, query) => customers.page(owner, query, [], roomForCustomers()),
      update: (owner, id, change, once) =>
        customers
          .update(
            owner,
            id,
            (before) => change(before).map(({ customer, ...rest }) => ({ aggregate: customer, ...rest })),
            once,
          )
          .map(customerWritten),
    },
    events: (owner) => {
      const rows = db.prepare('select event from changes where owner = ? order by sequence').all(owner);
      // The column holds nothing but the events that were recorded.
      return Promise.resolve(rows.map(({ event }) => JSON.parse(String(event)) as DomainEvent<string>));
    },
    close: () => db.close(),
  };
}

/** Accepts orders as long as a page has room for them. */
function roomForOrders(): (order: Order) => boolean {
  let lines = 0;
  let bytes = 0;
  return (order) => {
    lines += order.items.length;
    bytes += freeTextBytes(order);
    return lines <= PAGE_ITEMS_MAX && bytes <= PAGE_BYTES_MAX;
  };
}

/** Accepts customers as long as a page has room for them. */
function roomForCustomers(): (customer: Customer) => boolean {
  let bytes = 0;
  return ({ metadata }) => {
    bytes += freeTextBytes({ metadata });
    return bytes <= PAGE_BYTES_MAX;
  };
}

function sqliteOrders(db: DatabaseSync) {
  const customer = db.prepare('select id from customers where owner = ? and id = ?');
  const holder = db.prepare('select id from orders where owner = ? and reference = ? and id <> ?');
  return aggregates<Order, OrderEvent, OrderNotFound, ReferenceTaken | UnknownCustomer, never, never>(db, {
    table: 'orders',
    columns: ({ status, customer_id, reference }) => ({ status, customer_id, reference }),
    notFound: (id) => ({ type: 'order_not_found', id }),
    withLowerIds: (order) => ({
      ...order,
      id: order.id.toLowerCase(),
      customer_id: order.customer_id?.toLowerCase() ?? null,
      items: order.items.map((item) => ({ ...item, id: item.id.toLowerCase() })),
    }),
    fixed: ({ id, items, total, created_at }) => ({ id, items, total, created_at }),
    refuse: (owner, { id, customer_id, reference }) => {
      if (customer_id !== null && !customer.get(owner, customer_id)) return { type: 'unknown_customer' };
      const other = holder.get(owner, reference, id);
      return other ? { type: 'reference_taken', order_id: String(other['id']) } : null;
    },
    refuseDeletion: () => null,
    erased: null,
  });
}

function sqliteCustomers(db: DatabaseSync) {
  const holder = db.prepare('select id from customers where owner = ? and email_key = ? and id <> ?');
  const order = db.prepare('select id from orders where owner = ? and customer_id = ?');
  return aggregates<Customer, CustomerEvent, CustomerNotFound, EmailTaken, CustomerHasOrders, CustomerNotFound>(db, {
    table: 'customers',
    columns: ({ email }) => ({ email_key: emailKey(email) }),
    notFound: (id) => ({ type: 'customer_not_found', id }),
    withLowerIds: (customer) => ({ ...customer, id: customer.id.toLowerCase() }),
    fixed: ({ id, created_at }) => ({ id, created_at }),
    refuse: (owner, { id, email }) => {
      const other = holder.get(owner, emailKey(email), id);
      return other ? { type: 'email_taken', customer_id: String(other['id']) } : null;
    },
    refuseDeletion: (owner, id) => (order.get(owner, id) ? { type: 'customer_has_orders' } : null),
    erased: (id) => ({ type: 'customer_not_found', id }),
  });
}

function conditionsOf({ status, customer_id, reference }: OrderQuery) {
  const conditions: [string, ...string[]][] = [];
  if (status) conditions.push([`status in (${status.map(() => '?').join(', ')})`, ...status]);
  if (customer_id !== null) conditions.push(['customer_id = ?', customer_id.toLowerCase()]);
  if (reference !== null) conditions.push(['reference = ?', reference]);
  return conditions;
}

type OrderChanges = ReturnType<typeof sqliteOrders>['changes'];

function listVersions(changes: OrderChanges, owner: Owner, id: string, { at, after, limit }: OrderVersionQuery) {
  // An order without versions is an error; one without a version at that time has an empty page.
  if (changes(owner, id).length === 0) return err<never, OrderNotFound>({ type: 'order_not_found', id });
  if (at !== null) {
    const current = changes(owner, id, 'occurred_at <= ?', at).slice(0, 1);
    return ok({ data: current.map(toVersion), next: null });
  }
  const rest = changes(owner, id, 'version < ?', after?.value ?? Infinity).map(toVersion);
  const hasRoom = roomForOrders();
  return ok(
    firstPage(
      rest,
      limit,
      ({ order }) => order === null || hasRoom(order),
      ({ version }) => ({ value: version, id: id.toLowerCase() }),
    ),
  );
}

function toVersion({ event, snapshot: order }: Change<Order, OrderEvent>): OrderVersion {
  const { version, type, changed, occurred_at, actor } = event;
  return { version, type, changed, occurred_at, actor, order };
}

function orderWritten({ aggregate: order, ...rest }: Done<Order, OrderEvent>) {
  return { order, ...rest };
}

function customerWritten({ aggregate: customer, ...rest }: Done<Customer, CustomerEvent>) {
  return { customer, ...rest };
}
