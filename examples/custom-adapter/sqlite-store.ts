import { readFileSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import {
  type Customer,
  type CustomerErased,
  type CustomerEvent,
  type CustomerHasOrders,
  type CustomerRepository,
  type DomainEvent,
  type EmailErasure,
  type EmailTaken,
  emailKey,
  ERASING_MAX,
  type ErasureEvent,
  type ErasureRepository,
  type FoundErasure,
  isRefusedAsErased,
  lookupsOf,
  newCustomerOf,
  type Order,
  type OrderEvent,
  ORDERS,
  type OrderRepository,
  type OrderOfPersons,
  type Owner,
  type PendingErasure,
  type PersonErased,
  personsOf,
  type ReferenceTaken,
  type UnknownCustomer,
  withoutPersonalData,
} from '@orders/domain';
import { ok } from 'neverthrow';
import { list, orderVersions, parse } from './lists.ts';
import { sqliteAggregates } from './sqlite-aggregates.ts';
import { inTransaction, orUnavailable } from './transaction.ts';

/** Opens both repositories over the file at `path`, and makes it and its tables when they are absent. */
export function openSqliteStore(path: string) {
  const db = new DatabaseSync(path, { timeout: 5000 });
  db.exec('pragma journal_mode = wal');
  db.exec(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'));
  db.function('lookups', (body) => JSON.stringify(lookupsOf(ORDERS, parse<Order>(body)).lookups));
  const events = db.prepare(`select event from versions where owner = ? and kind <> 'erasure' order by sequence`);
  return {
    orders: sqliteOrders(db),
    customers: sqliteCustomers(db),
    /** Returns the events of an owner, oldest first. */
    events: (owner: Owner) => Promise.resolve(events.all(owner).map(({ event }) => parse<DomainEvent<string>>(event))),
    close: () => db.close(),
  };
}

function sqliteOrders(db: DatabaseSync): OrderRepository {
  const customer = db.prepare(`
    select body ->> 'erased_at' as erased_at from versions
    where owner = ? and kind = 'customer' and id = ? and is_current`);
  const current = db.prepare(`select id from versions where owner = ? and kind = 'order' and id = ? and is_current`);
  const versions = db.prepare(`
    select id, version, event ->> 'type' as type, event ->> 'external_user_id' as user, reason, body
    from versions
    where owner = ? and kind = 'order' and id >= ? order by id, version`);
  const { eraseVersions, ...store } = sqliteAggregates<
    Order,
    OrderEvent,
    ReferenceTaken | UnknownCustomer | CustomerErased
  >(db, {
    kind: 'order',
    nameOf: ({ reference }) => reference,
    toNameTaken: (order_id) => ({ type: 'reference_taken', order_id }),
    findRefusal: (owner, write) => {
      const id = 'after' in write ? write.after.customer_id : null;
      if (id === null) return null;
      const found = customer.get(owner, id);
      if (!found) return { type: 'unknown_customer' };
      const added = newCustomerOf(write);
      const erasedAt = found['erased_at'] === null ? null : String(found['erased_at']);
      return added && isRefusedAsErased(added, erasedAt) ? { type: 'customer_erased' } : null;
    },
    deletionErases: false,
    toErased: (order) => withoutPersonalData<typeof ORDERS>(order),
  });
  return {
    ...store,
    list: (owner, query) => list<Order>(db, 'order', owner, query),
    ...orderVersions(db),
    // All at once: no owner of this example has so many orders.
    findOrdersOf: (owner, persons, after) =>
      orUnavailable(() => {
        const found = new Map<string, OrderOfPersons>();
        for (const { id, version, type, user, reason, body } of versions.all(owner, after?.id ?? '')) {
          const order = parse<Order | null>(body);
          const newest = order ? personsOf(order).filter((person) => persons.includes(person)) : [];
          const before = found.get(String(id));
          found.set(String(id), {
            id: String(id),
            version: Number(version),
            erased_at: (type === 'order.erased' && order?.erased_at) || null,
            persons: [...new Set([...(before?.persons ?? []), ...newest])],
            newest,
            isPersonal:
              before?.isPersonal === true ||
              reason !== null ||
              user !== null ||
              (order !== null && JSON.stringify(withoutPersonalData<typeof ORDERS>(order)) !== body),
          });
        }
        return ok({ orders: [...found.values()].filter((order) => order.persons.length > 0), next: null });
      }),
    eraseDeleted: (owner, id) =>
      inTransaction(db, () => {
        if (!current.get(owner, id)) eraseVersions(owner, id);
        return ok(null);
      }),
  };
}

function sqliteCustomers(db: DatabaseSync): CustomerRepository {
  const byName = db.prepare(
    `select body from versions where owner = ? and kind = 'customer' and name = ? and is_current`,
  );
  const order = db.prepare('select id from versions where owner = ? and customer_id = ? and is_current');
  const PERSON = `
    select versions.id as customer_id, body ->> 'erased_at' as erased_at, body ->> '$.erasure.status' as status,
      coalesce(requested_at, body ->> 'erased_at') as requested_at, coalesce(is_repeated, 0) as is_repeated
    from versions left join repeated_erasures using (owner, id)
    where owner = ? and kind = 'customer' and is_current and body ->> 'erased_at' is not null`;
  const erasing = db.prepare(`${PERSON} and body ->> '$.erasure.status' = 'pending' limit ${ERASING_MAX}`);
  const person = db.prepare(`${PERSON} and versions.id = ?`);
  const repeat = db.prepare(
    'replace into repeated_erasures (owner, id, requested_at, is_repeated) values (?, ?, ?, ?)',
  );
  const setErasure = db.prepare(`
    update versions set body = json_set(body, '$.erasure', json_object('status', ?))
    where owner = ? and kind = 'customer' and id = ? and is_current`);
  const { eraseVersions: _, ...store } = sqliteAggregates<
    Customer,
    CustomerEvent,
    EmailTaken | CustomerHasOrders | CustomerErased
  >(db, {
    kind: 'customer',
    nameOf: ({ email }) => (email === null ? null : emailKey(email)),
    toNameTaken: (customer_id) => ({ type: 'email_taken', customer_id }),
    findRefusal: (owner, write) => {
      if (write.kind !== 'delete') return null;
      const { id, erased_at } = write.before.aggregate;
      if (order.get(owner, id)) return { type: 'customer_has_orders' };
      return erased_at === null ? null : { type: 'customer_erased' };
    },
    deletionErases: true,
    toErased: () => null,
  });
  return {
    ...store,
    erasures: sqliteErasures(db),
    findErasing: (owner) => orUnavailable(() => ok(erasing.all(owner).map((row) => toPerson(row)))),
    repeatErasure: (owner, id, at) =>
      inTransaction(db, () => {
        const row = person.get(owner, id);
        if (!row) return ok(null);
        const before = toPerson(row);
        const next = new Date(Date.parse(before.requested_at) + 1).toISOString();
        const isRepeated = before.isRepeated || row['status'] === 'done';
        const repeated = { ...before, requested_at: at > next ? at : next, isRepeated };
        repeat.run(owner, id, repeated.requested_at, Number(isRepeated));
        setErasure.run('pending', owner, id);
        return ok(repeated);
      }),
    finishErasures: (owner, persons) =>
      inTransaction(db, () => {
        for (const { customer_id: id, requested_at } of persons) {
          const row = person.get(owner, id);
          if (row?.['requested_at'] === requested_at) setErasure.run('done', owner, id);
        }
        return ok(null);
      }),
    list: (owner, query) => list<Customer>(db, 'customer', owner, query),
    findByEmail: (owner, key) =>
      orUnavailable(() => {
        const found = byName.get(owner, key);
        return ok(found ? parse<Customer>(found['body']) : null);
      }),
  };
}

/** The erasures by email, whose end is a change of their only version. */
function sqliteErasures(db: DatabaseSync): ErasureRepository {
  const pending = db.prepare(`
    select body, exists (
      select 1 from versions as c where c.owner = e.owner and c.kind = 'customer' and c.is_current
        and (c.id = e.body ->> 'customer_id' and c.body ->> 'erased_at' is null or c.name = e.body ->> 'email_key')
    ) as is_customer_left
    from versions as e where owner = ? and kind = 'erasure' and is_current and body ->> 'status' = 'pending'
    order by id limit ${ERASING_MAX}`);
  const toFound = (row: Record<string, SQLOutputValue>): FoundErasure => ({
    ...parse<PendingErasure>(row['body']),
    isCustomerLeft: row['is_customer_left'] === 1,
  });
  const finish = db.prepare(`
    update versions set body = json_set(body, '$.email_key', null, '$.status', 'done')
    where owner = ? and kind = 'erasure' and id = ? and is_current`);
  const keep = db.prepare(`
    insert into erased_orders (owner, id, erased_at) values (?, ?, ?)
    on conflict do update set erased_at = max(erased_at, excluded.erased_at)`);
  const { eraseVersions: _, ...store } = sqliteAggregates<EmailErasure, ErasureEvent, never>(db, {
    kind: 'erasure',
    nameOf: () => null,
    toNameTaken: () => {
      throw new Error('an erasure has no name');
    },
    findRefusal: () => null,
    deletionErases: true,
    toErased: () => null,
  });
  return {
    ...store,
    findPending: (owner) => orUnavailable(() => ok(pending.all(owner).map(toFound))),
    finish: (owner, ids) =>
      inTransaction(db, () => {
        for (const id of ids) finish.run(owner, id);
        return ok(null);
      }),
    keepOrder: (owner, id, erased_at) =>
      inTransaction(db, () => {
        keep.run(owner, id, erased_at);
        return ok(null);
      }),
  };
}

/** Returns the last erasure of a customer. */
function toPerson(row: Readonly<Record<string, unknown>>): PersonErased {
  return {
    customer_id: String(row['customer_id']),
    erased_at: String(row['erased_at']),
    requested_at: String(row['requested_at']),
    isRepeated: row['is_repeated'] === 1,
  };
}
