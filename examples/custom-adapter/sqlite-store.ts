import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  type Customer,
  type CustomerEvent,
  type CustomerHasOrders,
  type CustomerRepository,
  type DomainEvent,
  type EmailTaken,
  emailKey,
  type Order,
  type OrderEvent,
  type OrderRepository,
  type Owner,
  type ReferenceTaken,
  type UnknownCustomer,
} from '@orders/domain';
import { ok } from 'neverthrow';
import { list, orderVersions, parse } from './lists.ts';
import { sqliteAggregates } from './sqlite-aggregates.ts';
import { orUnavailable } from './transaction.ts';

/** Opens both repositories over the file at `path`, and makes it and its tables when they are absent. */
export function openSqliteStore(path: string) {
  const db = new DatabaseSync(path, { timeout: 5000 });
  db.exec('pragma journal_mode = wal');
  db.exec(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'));
  const events = db.prepare('select event from versions where owner = ? order by sequence');
  return {
    orders: sqliteOrders(db),
    customers: sqliteCustomers(db),
    /** Returns the events of an owner, oldest first. */
    events: (owner: Owner) => Promise.resolve(events.all(owner).map(({ event }) => parse<DomainEvent<string>>(event))),
    close: () => db.close(),
  };
}

function sqliteOrders(db: DatabaseSync): OrderRepository {
  const customer = db.prepare(
    `select id from versions where owner = ? and kind = 'customer' and id = ? and is_current`,
  );
  return {
    ...sqliteAggregates<Order, OrderEvent, ReferenceTaken | UnknownCustomer>(db, {
      kind: 'order',
      nameOf: ({ reference }) => reference,
      toNameTaken: (order_id) => ({ type: 'reference_taken', order_id }),
      findRefusal: (owner, write) => {
        const id = 'after' in write ? write.after.customer_id : null;
        return id === null || customer.get(owner, id) ? null : { type: 'unknown_customer' };
      },
      deletionErases: false,
    }),
    list: (owner, query) => list<Order>(db, 'order', owner, query),
    ...orderVersions(db),
  };
}

function sqliteCustomers(db: DatabaseSync): CustomerRepository {
  const byName = db.prepare(
    `select body from versions where owner = ? and kind = 'customer' and name = ? and is_current`,
  );
  const order = db.prepare('select id from versions where owner = ? and customer_id = ? and is_current');
  return {
    ...sqliteAggregates<Customer, CustomerEvent, EmailTaken | CustomerHasOrders>(db, {
      kind: 'customer',
      nameOf: ({ email }) => emailKey(email),
      toNameTaken: (customer_id) => ({ type: 'email_taken', customer_id }),
      findRefusal: (owner, write) =>
        write.kind === 'delete' && order.get(owner, write.before.aggregate.id) ? { type: 'customer_has_orders' } : null,
      deletionErases: true,
    }),
    list: (owner, query) => list<Customer>(db, 'customer', owner, query),
    findByEmail: (owner, key) =>
      orUnavailable(() => {
        const found = byName.get(owner, key);
        return ok(found ? parse<Customer>(found['body']) : null);
      }),
  };
}
