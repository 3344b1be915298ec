import type { Customer, Order } from '@orders/domain';
import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import type { Fault } from './contract-faults.ts';
import { catchingBugs } from './faulty-stores.ts';

type Inject = Fault[1];

/**
 * Injects a store that finds or returns, after an update, a value that `merge` makes of the stored and decided values.
 */
export const storingOfUpdates =
  (merge: <A extends object>(stored: A, decided: A, isEvent: boolean) => A, where: 'found' | 'written'): Inject =>
  ({ orders, customers }) => {
    const [foundOrders, foundCustomers] = [new Map<string, Order>(), new Map<string, Customer>()];
    const isFound = where === 'found';
    return {
      orders: {
        find: (owner, id) => orders.find(owner, id).map((order) => foundOrders.get(id) ?? order),
        update: (owner, id, change, idempotency) => {
          let wanted: Order | undefined;
          const observe = (before: Order) =>
            change(before).map((decision) => {
              wanted = merge(before, decision.order, decision.event !== null);
              if (isFound) foundOrders.set(id, wanted);
              return decision;
            });
          const written = orders.update(owner, id, observe, idempotency);
          return isFound ? written : written.map((it) => ({ ...it, order: wanted ?? it.order }));
        },
      },
      customers: {
        find: (owner, id) => customers.find(owner, id).map((customer) => foundCustomers.get(id) ?? customer),
        update: (owner, id, change, idempotency) => {
          let wanted: Customer | undefined;
          const observe = (before: Customer) =>
            change(before).map((decision) => {
              wanted = merge(before, decision.customer, decision.event !== null);
              if (isFound) foundCustomers.set(id, wanted);
              return decision;
            });
          const written = customers.update(owner, id, observe, idempotency);
          return isFound ? written : written.map((it) => ({ ...it, customer: wanted ?? it.customer }));
        },
      },
    };
  };

/** Injects a store that overwrites an aggregate with the same id. */
export const overwriting: Inject = ({ orders, customers }) => {
  const [newOrders, newCustomers] = [new Map<string, Order>(), new Map<string, Customer>()];
  return {
    orders: {
      find: (owner, id) => orders.find(owner, id).map((order) => newOrders.get(id) ?? order),
      insert: (owner, placed, idempotency) =>
        catchingBugs(orders.insert(owner, placed, idempotency)).orElse((error) => {
          if (error.type !== 'unavailable') return err(error);
          newOrders.set(placed.order.id, placed.order);
          return ok({ ...placed, replayed: false });
        }),
    },
    customers: {
      find: (owner, id) => customers.find(owner, id).map((customer) => newCustomers.get(id) ?? customer),
      insert: (owner, created, idempotency) =>
        catchingBugs(customers.insert(owner, created, idempotency)).orElse((error) => {
          if (error.type !== 'unavailable') return err(error);
          newCustomers.set(created.customer.id, created.customer);
          return ok({ ...created, replayed: false });
        }),
    },
  };
};

/** Injects a store that returns `unavailable` instead of rejecting. */
export const unavailableForBugs: Inject = ({ orders, customers }) => ({
  orders: {
    insert: (owner, placed, idempotency) => catchingBugs(orders.insert(owner, placed, idempotency)),
    update: (owner, id, change, idempotency) => catchingBugs(orders.update(owner, id, change, idempotency)),
    delete: (owner, id, decide, idempotency) => catchingBugs(orders.delete(owner, id, decide, idempotency)),
  },
  customers: {
    insert: (owner, created, idempotency) => catchingBugs(customers.insert(owner, created, idempotency)),
    update: (owner, id, change, idempotency) => catchingBugs(customers.update(owner, id, change, idempotency)),
    delete: (owner, id, decide, idempotency) => catchingBugs(customers.delete(owner, id, decide, idempotency)),
  },
});

/** Injects a store that throws the exceptions of callbacks synchronously. */
export const throwingSynchronously: Inject = ({ orders, customers }) => {
  /** Starts a write, and throws the exception of its callback if there was one. */
  const started = <A, D, E, T, F>(
    decide: (before: A) => Result<D, E>,
    start: (decide: (before: A) => Result<D, E>) => ResultAsync<T, F>,
  ): ResultAsync<T, F> => {
    const decided: { readonly throwIt: () => void }[] = [];
    const write = start((before) => {
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
    if (decided.length > 0) void catchingBugs(write);
    for (const { throwIt } of decided) throwIt();
    return write;
  };
  return {
    orders: {
      update: (owner, id, change, idempotency) =>
        started(change, (observe) => orders.update(owner, id, observe, idempotency)),
      delete: (owner, id, decide, idempotency) =>
        started(decide, (observe) => orders.delete(owner, id, observe, idempotency)),
    },
    customers: {
      update: (owner, id, change, idempotency) =>
        started(change, (observe) => customers.update(owner, id, observe, idempotency)),
      delete: (owner, id, decide, idempotency) =>
        started(decide, (observe) => customers.delete(owner, id, observe, idempotency)),
    },
  };
};

/** Injects a store that alters text instead of rejecting it. */
export const altering =
  (alter: (text: string) => string): Inject =>
  ({ orders, customers }) => {
    const altered = <T extends object>(value: T): T => alterTexts(value, alter);
    return {
      orders: {
        insert: (owner, placed, idempotency) => orders.insert(owner, altered(placed), idempotency),
        update: (owner, id, change, idempotency) =>
          orders.update(owner, id, (order) => change(order).map(altered), idempotency),
        delete: (owner, id, decide, idempotency) =>
          orders.delete(owner, id, (order) => decide(order).map(altered), idempotency),
      },
      customers: {
        insert: (owner, created, idempotency) => customers.insert(owner, altered(created), idempotency),
        update: (owner, id, change, idempotency) =>
          customers.update(owner, id, (customer) => change(customer).map(altered), idempotency),
        delete: (owner, id, decide, idempotency) =>
          customers.delete(owner, id, (customer) => decide(customer).map(altered), idempotency),
      },
    };
  };

function alterTexts<T>(value: T, alter: (text: string) => string): T;
function alterTexts(value: unknown, alter: (text: string) => string): unknown {
  if (typeof value === 'string') return alter(value);
  if (Array.isArray(value)) return value.map((element: unknown) => alterTexts(element, alter));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [alter(key), alterTexts(member, alter)]));
}

/** Injects a store that distinguishes the case of ids in one method. */
export const exactIdsIn = (method: 'find' | 'list' | 'update' | 'delete'): Inject => {
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
        delete: (owner, id, decide, idempotency) =>
          isOther(id) ? errAsync({ type: 'order_not_found', id }) : orders.delete(owner, id, decide, idempotency),
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
        delete: (owner, id, decide, idempotency) =>
          isOther(id) ? errAsync({ type: 'customer_not_found', id }) : customers.delete(owner, id, decide, idempotency),
      }),
    },
  });
};

/** Injects a store that returns new aggregates with the ids of the argument. */
export const returningAsGiven: Inject = ({ orders, customers }) => ({
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
