import type { Customer, Order } from '@orders/domain';
import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import type { Fault } from './contract-faults.ts';
import { unlessTaken } from './faulty-stores.ts';

type Plant = Fault[1];

/** A store that finds and returns, after an update, what `kept` makes of the stored and the decided value. */
export const keepingOfUpdates =
  (kept: <A extends object>(stored: A, decided: A, isEvent: boolean) => A, where: 'found' | 'written'): Plant =>
  ({ orders, customers }) => {
    const [foundOrders, foundCustomers] = [new Map<string, Order>(), new Map<string, Customer>()];
    const isFound = where === 'found';
    return {
      orders: {
        find: (owner, id) => orders.find(owner, id).map((order) => foundOrders.get(id) ?? order),
        update: (owner, id, change, idempotency) => {
          let wanted: Order | undefined;
          const noting = (before: Order) =>
            change(before).map((decision) => {
              wanted = kept(before, decision.order, decision.event !== null);
              if (isFound) foundOrders.set(id, wanted);
              return decision;
            });
          const written = orders.update(owner, id, noting, idempotency);
          return isFound ? written : written.map((it) => ({ ...it, order: wanted ?? it.order }));
        },
      },
      customers: {
        find: (owner, id) => customers.find(owner, id).map((customer) => foundCustomers.get(id) ?? customer),
        update: (owner, id, change, idempotency) => {
          let wanted: Customer | undefined;
          const noting = (before: Customer) =>
            change(before).map((decision) => {
              wanted = kept(before, decision.customer, decision.event !== null);
              if (isFound) foundCustomers.set(id, wanted);
              return decision;
            });
          const written = customers.update(owner, id, noting, idempotency);
          return isFound ? written : written.map((it) => ({ ...it, customer: wanted ?? it.customer }));
        },
      },
    };
  };

/** A store that keeps a new aggregate over the one that has its id. */
export const overwriting: Plant = ({ orders, customers }) => {
  const [newOrders, newCustomers] = [new Map<string, Order>(), new Map<string, Customer>()];
  return {
    orders: {
      find: (owner, id) => orders.find(owner, id).map((order) => newOrders.get(id) ?? order),
      insert: (owner, placed, idempotency) =>
        unlessTaken(orders.insert(owner, placed, idempotency)).orElse((error) => {
          if (error.type !== 'unavailable') return err(error);
          newOrders.set(placed.order.id, placed.order);
          return ok({ ...placed, replayed: false });
        }),
    },
    customers: {
      find: (owner, id) => customers.find(owner, id).map((customer) => newCustomers.get(id) ?? customer),
      insert: (owner, created, idempotency) =>
        unlessTaken(customers.insert(owner, created, idempotency)).orElse((error) => {
          if (error.type !== 'unavailable') return err(error);
          newCustomers.set(created.customer.id, created.customer);
          return ok({ ...created, replayed: false });
        }),
    },
  };
};

/** A store that returns `unavailable` where it should reject. */
export const unavailableForBugs: Plant = ({ orders, customers }) => ({
  orders: {
    insert: (owner, placed, idempotency) => unlessTaken(orders.insert(owner, placed, idempotency)),
    update: (owner, id, change, idempotency) => unlessTaken(orders.update(owner, id, change, idempotency)),
    delete: (owner, id, judge, idempotency) => unlessTaken(orders.delete(owner, id, judge, idempotency)),
  },
  customers: {
    insert: (owner, created, idempotency) => unlessTaken(customers.insert(owner, created, idempotency)),
    update: (owner, id, change, idempotency) => unlessTaken(customers.update(owner, id, change, idempotency)),
    delete: (owner, id, judge, idempotency) => unlessTaken(customers.delete(owner, id, judge, idempotency)),
  },
});

/** A store that throws at once what a change or judge throws. */
export const throwingAtOnce: Plant = ({ orders, customers }) => {
  /** The write that `begin` begins, unless the decision that it calls throws. */
  const begun = <A, D, E, T, F>(
    decide: (before: A) => Result<D, E>,
    begin: (decide: (before: A) => Result<D, E>) => ResultAsync<T, F>,
  ): ResultAsync<T, F> => {
    const decided: { readonly throwIt: () => void }[] = [];
    const write = begin((before) => {
      try {
        return decide(before);
      } catch (cause) {
        decided.push({
          throwIt: () => {
            throw cause;
          },
        });
        throw cause;
      }
    });
    if (decided.length > 0) void unlessTaken(write);
    for (const { throwIt } of decided) throwIt();
    return write;
  };
  return {
    orders: {
      update: (owner, id, change, idempotency) =>
        begun(change, (noting) => orders.update(owner, id, noting, idempotency)),
      delete: (owner, id, judge, idempotency) =>
        begun(judge, (noting) => orders.delete(owner, id, noting, idempotency)),
    },
    customers: {
      update: (owner, id, change, idempotency) =>
        begun(change, (noting) => customers.update(owner, id, noting, idempotency)),
      delete: (owner, id, judge, idempotency) =>
        begun(judge, (noting) => customers.delete(owner, id, noting, idempotency)),
    },
  };
};

/** A store that keeps `repaired` text in the place of text that it cannot keep. */
export const repairing =
  (repaired: (text: string) => string): Plant =>
  ({ orders, customers }) => {
    const mended = <T extends object>(value: T): T => mend(value, repaired);
    return {
      orders: {
        insert: (owner, placed, idempotency) => orders.insert(owner, mended(placed), idempotency),
        update: (owner, id, change, idempotency) =>
          orders.update(owner, id, (order) => change(order).map(mended), idempotency),
        delete: (owner, id, judge, idempotency) =>
          orders.delete(owner, id, (order) => judge(order).map(mended), idempotency),
      },
      customers: {
        insert: (owner, created, idempotency) => customers.insert(owner, mended(created), idempotency),
        update: (owner, id, change, idempotency) =>
          customers.update(owner, id, (customer) => change(customer).map(mended), idempotency),
        delete: (owner, id, judge, idempotency) =>
          customers.delete(owner, id, (customer) => judge(customer).map(mended), idempotency),
      },
    };
  };

function mend<T>(value: T, repaired: (text: string) => string): T;
function mend(value: unknown, repaired: (text: string) => string): unknown {
  if (typeof value === 'string') return repaired(value);
  if (Array.isArray(value)) return value.map((element: unknown) => mend(element, repaired));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [repaired(key), mend(member, repaired)]));
}

/** A store that tells ids apart by their case, in one of its methods. */
export const exactIdsIn = (method: 'find' | 'list' | 'update' | 'delete'): Plant => {
  const isOther = (id: string): boolean => id !== id.toLowerCase();
  return ({ orders, customers }) => ({
    orders: {
      ...(method === 'find' && {
        find: (owner, id) => (isOther(id) ? errAsync({ type: 'order_not_found', id }) : orders.find(owner, id)),
      }),
      ...(method === 'list' && {
        list: (owner, query) =>
          isOther(query.customer_id ?? '') || isOther(query.after?.id ?? '')
            ? okAsync({ data: [], next: null })
            : orders.list(owner, query),
      }),
      ...(method === 'update' && {
        update: (owner, id, change, idempotency) =>
          isOther(id) ? errAsync({ type: 'order_not_found', id }) : orders.update(owner, id, change, idempotency),
      }),
      ...(method === 'delete' && {
        delete: (owner, id, judge, idempotency) =>
          isOther(id) ? errAsync({ type: 'order_not_found', id }) : orders.delete(owner, id, judge, idempotency),
      }),
    },
    customers: {
      ...(method === 'find' && {
        find: (owner, id) => (isOther(id) ? errAsync({ type: 'customer_not_found', id }) : customers.find(owner, id)),
      }),
      ...(method === 'update' && {
        update: (owner, id, change, idempotency) =>
          isOther(id) ? errAsync({ type: 'customer_not_found', id }) : customers.update(owner, id, change, idempotency),
      }),
      ...(method === 'delete' && {
        delete: (owner, id, judge, idempotency) =>
          isOther(id) ? errAsync({ type: 'customer_not_found', id }) : customers.delete(owner, id, judge, idempotency),
      }),
    },
  });
};

/** A store that returns new aggregates as they were given. */
export const returningAsGiven: Plant = ({ orders, customers }) => ({
  orders: {
    insert: (owner, placed, idempotency) =>
      orders.insert(owner, placed, idempotency).map((it) => (it.replayed ? it : { ...it, order: placed.order })),
  },
  customers: {
    insert: (owner, created, idempotency) =>
      customers
        .insert(owner, created, idempotency)
        .map((it) => (it.replayed ? it : { ...it, customer: created.customer })),
  },
});
