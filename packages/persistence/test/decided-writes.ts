import type {
  AggregateStore,
  Customer,
  CustomerEvent,
  CustomerHasOrders,
  EmailTaken,
  Idempotency,
  OrderDefinition,
  OrderEvent,
  Order,
  ORDERS,
  Owner,
  ReferenceTaken,
  UnknownCustomer,
} from '@orders/domain';
import { changeAggregate, createAggregate, deleteAggregate } from '@orders/domain/testing';
import type { TooManyEndpoints, WebhookEndpoint, WebhookEndpointEvent } from '@orders/domain/webhooks';
import {
  type OrdersDatabase,
  postgresCustomerRepository,
  postgresOrderRepository,
  postgresWebhookEndpoints,
} from '@orders/persistence';
import { err, ok, type Result } from 'neverthrow';

/** Returns a store with the steps of a write, for decisions that no use case makes. */
function decidedWrites<A, E, Refused, Missing extends string>(store: AggregateStore<A, E, Refused>, missing: Missing) {
  const destination = (owner: Owner, key: Idempotency | undefined) => ({ store, owner, key, missing });
  return {
    insert: (owner: Owner, after: A, event: E, key?: Idempotency) =>
      createAggregate(destination(owner, key), { after, event }),
    update: <Rejected>(
      owner: Owner,
      id: string,
      decide: (before: A) => Result<{ readonly after: A; readonly event: E | null }, Rejected>,
      key?: Idempotency,
    ) => changeAggregate(destination(owner, key), id, decide),
    delete: <Rejected>(owner: Owner, id: string, decide: (before: A) => Result<E, Rejected>, key?: Idempotency) =>
      deleteAggregate(destination(owner, key), id, decide),
    find: (owner: Owner, id: string) =>
      store.load(owner, id).andThen((found) => (found ? ok(found.aggregate) : err({ type: missing, id }))),
  };
}

export type DecidedOrders = ReturnType<typeof decidedOrders<typeof ORDERS>>;
export type DecidedCustomers = ReturnType<typeof decidedCustomers>;

/** Returns the orders of a database with the steps of a write. */
export function decidedOrders<D extends OrderDefinition = typeof ORDERS>(database: OrdersDatabase<D>) {
  const repository = postgresOrderRepository(database);
  const writes = decidedWrites<Order<D>, OrderEvent<D>, ReferenceTaken | UnknownCustomer, 'order_not_found'>(
    repository,
    'order_not_found',
  );
  return {
    ...repository,
    ...writes,
    insert: (
      owner: Owner,
      { order, event }: { readonly order: Order<D>; readonly event: OrderEvent<D> },
      key?: Idempotency,
    ) => writes.insert(owner, order, event, key).map(({ aggregate, ...rest }) => ({ order: aggregate, ...rest })),
    update: <Rejected>(
      owner: Owner,
      id: string,
      change: (
        before: Order<D>,
      ) => Result<{ readonly order: Order<D>; readonly event: OrderEvent<D> | null }, Rejected>,
      key?: Idempotency,
    ) =>
      writes
        .update(owner, id, (before) => change(before).map(({ order, event }) => ({ after: order, event })), key)
        .map(({ aggregate, ...rest }) => ({ order: aggregate, ...rest })),
  };
}

/** Returns the customers of a database with the steps of a write. */
export function decidedCustomers(database: OrdersDatabase) {
  const repository = postgresCustomerRepository(database);
  const writes = decidedWrites<Customer, CustomerEvent, EmailTaken | CustomerHasOrders, 'customer_not_found'>(
    repository,
    'customer_not_found',
  );
  return {
    ...repository,
    ...writes,
    insert: (
      owner: Owner,
      { customer, event }: { readonly customer: Customer; readonly event: CustomerEvent },
      key?: Idempotency,
    ) => writes.insert(owner, customer, event, key).map(({ aggregate, ...rest }) => ({ customer: aggregate, ...rest })),
    update: <Rejected>(
      owner: Owner,
      id: string,
      change: (
        before: Customer,
      ) => Result<{ readonly customer: Customer; readonly event: CustomerEvent | null }, Rejected>,
      key?: Idempotency,
    ) =>
      writes
        .update(owner, id, (before) => change(before).map(({ customer, event }) => ({ after: customer, event })), key)
        .map(({ aggregate, ...rest }) => ({ customer: aggregate, ...rest })),
  };
}

/** Returns the webhook endpoints of a database with the steps of a write. */
export function decidedEndpoints(database: OrdersDatabase<typeof ORDERS>) {
  const repository = postgresWebhookEndpoints(database);
  const missing = 'webhook_endpoint_not_found';
  const writes = decidedWrites<WebhookEndpoint, WebhookEndpointEvent, TooManyEndpoints, typeof missing>(
    repository,
    missing,
  );
  return {
    ...repository,
    ...writes,
    insert: (
      owner: Owner,
      { endpoint, event }: { readonly endpoint: WebhookEndpoint; readonly event: WebhookEndpointEvent },
      key?: Idempotency,
    ) => writes.insert(owner, endpoint, event, key).map(({ aggregate, ...rest }) => ({ endpoint: aggregate, ...rest })),
    update: <Rejected>(
      owner: Owner,
      id: string,
      change: (
        before: WebhookEndpoint,
      ) => Result<{ readonly endpoint: WebhookEndpoint; readonly event: WebhookEndpointEvent | null }, Rejected>,
      key?: Idempotency,
    ) =>
      writes
        .update(owner, id, (before) => change(before).map(({ endpoint, event }) => ({ after: endpoint, event })), key)
        .map(({ aggregate, ...rest }) => ({ endpoint: aggregate, ...rest })),
  };
}
