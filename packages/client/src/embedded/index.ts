import {
  assertOwner,
  authorOf,
  type CustomerWritten,
  type Domain,
  type OrderDefinition,
  type ORDERS,
  type Owner,
  untyped,
} from '@orders/domain';
import type { EventFeed } from '@orders/domain/events';
import { type OrderStatistics, readOrderStatistics } from '@orders/domain/statistics';
import type { Webhooks } from '@orders/domain/webhooks';
import { assertOptions } from '../calls/known-options.ts';
import type { OrdersClient } from '../create-orders-client.ts';
import { asSent } from '../calls/json.ts';
import { update } from '../calls/update.ts';
import { uncheckedCast } from '../calls/unchecked-cast.ts';
import type { Customers } from '../customers.ts';
import type { Erasures } from '../erasures.ts';
import type { CustomerDataLine } from '../schemas.ts';
import { type AnyDefinition, create, list, nothing, type OwnerContext, read, unchanged, write } from './calls.ts';
import { sorted, textCursors } from './pages.ts';
import { eventsOf } from './events.ts';
import { ordersOf } from './orders.ts';
import { webhooksOf } from './webhooks.ts';

/** What {@link forOwner} binds to one owner. */
export interface OwnerParts<D extends OrderDefinition = typeof ORDERS> {
  readonly domain: Domain<D>;
  /** The credential that makes the changes, as the option `actor` of the domain's writes. Default: unknown. */
  readonly actor?: string | undefined;
  /** The user for whom the changes are made, unless a call names another one. Default: unknown. */
  readonly externalUserId?: string | undefined;
}

/** The feed of the changes that a domain makes. */
interface WithFeed<D extends OrderDefinition> {
  readonly feed: EventFeed<D>;
}

/** The figures of the orders of a domain. */
interface WithStatistics<D extends OrderDefinition> {
  readonly statistics: OrderStatistics<D>;
}

/** The use cases of webhooks. */
interface WithWebhooks<D extends OrderDefinition> {
  readonly webhooks: Webhooks<D>;
}

/**
 * Binds the use cases of a domain to one owner, as the client that `createOrdersClient` creates of a server. A program
 * that uses it can use a server instead by changing the line that calls this function, and the import. The errors that
 * only HTTP produces never occur. A call whose signal is aborted before it begins returns `unreachable` with the reason
 * `aborted`; one that has begun ends as if it were not.
 *
 * Without `feed`, `statistics` or `webhooks`, the member that needs it is missing.
 *
 * @throws {TypeError} a part is unknown, or the owner, the actor or the external user id is invalid
 */
export function forOwner<D extends OrderDefinition>(
  parts: OwnerParts<D> & WithFeed<D> & WithStatistics<D> & WithWebhooks<D>,
  owner: Owner,
): OrdersClient<D>;
export function forOwner<D extends OrderDefinition>(
  parts: OwnerParts<D> & WithFeed<D> & WithStatistics<D>,
  owner: Owner,
): Omit<OrdersClient<D>, 'webhooks'>;
export function forOwner<D extends OrderDefinition>(
  parts: OwnerParts<D> & WithFeed<D> & WithWebhooks<D>,
  owner: Owner,
): Omit<OrdersClient<D>, 'statistics'>;
export function forOwner<D extends OrderDefinition>(
  parts: OwnerParts<D> & WithFeed<D>,
  owner: Owner,
): Omit<OrdersClient<D>, 'statistics' | 'webhooks'>;
export function forOwner<D extends OrderDefinition>(
  parts: OwnerParts<D>,
  owner: Owner,
): Omit<OrdersClient<D>, 'events' | 'statistics' | 'webhooks'>;
export function forOwner(parts: object, owner: Owner): unknown {
  assertOptions(parts, ['domain', 'feed', 'statistics', 'webhooks', 'actor', 'externalUserId']);
  const { domain, feed, statistics, webhooks, actor, externalUserId } = widen(parts);
  assertOwner(owner);
  authorOf({ actor, externalUserId });
  const context = { owner, actor, externalUserId };
  const customers = customersOf(context, domain);
  return {
    ...ordersOf(context, domain, customers.list),
    customers,
    erasures: erasuresOf(context, domain),
    ...(feed ? { events: eventsOf(context, feed, domain.definition) } : {}),
    ...(statistics ? { statistics: statisticsOf(context, statistics) } : {}),
    ...(webhooks ? { webhooks: webhooksOf(context, webhooks) } : {}),
  };
}

/** Returns the parts themselves. All of them have orders of one definition, which they know. */
function widen(
  parts: object,
): OwnerParts<OrderDefinition> &
  Partial<WithFeed<OrderDefinition> & WithStatistics<OrderDefinition> & WithWebhooks<OrderDefinition>>;
function widen(parts: object): unknown {
  return parts;
}

/** Binds the figures to one owner. */
function statisticsOf(
  { owner }: OwnerContext,
  statistics: OrderStatistics<OrderDefinition>,
): OrdersClient<AnyDefinition>['statistics'] {
  return ({ signal, ...query }) =>
    read({ signal }, () =>
      readOrderStatistics(statistics, owner, asSent(query)).map(({ rows, as_of }) => ({ data: rows, as_of })),
    );
}

/** Binds the use cases of customers to one owner. */
function customersOf(context: OwnerContext, useCases: Domain<OrderDefinition>): Customers {
  const { owner } = context;
  const domain = untyped(useCases);
  const written = ({ customer }: CustomerWritten) => ({ customer });
  const get: Customers['get'] = (id, options = {}) => read(options, () => domain.getCustomer(owner, id));
  const change: Customers['change'] = (id, patch, options = {}) =>
    write(context, options, (rest) => domain.changeCustomer(owner, id, asSent(patch), rest), written);
  return {
    get,
    change,
    create: (input, options = {}) =>
      create(context, options, (rest) => domain.createCustomer(owner, asSent(input), rest), written),
    list: (query = {}) =>
      list(textCursors(sorted('customers', query)), query, (rest) => domain.listCustomers(owner, rest), unchanged),
    search: (input, options = {}) => read(options, () => domain.searchCustomers(owner, asSent(input))),
    update: (id, decide, options = {}) => update(id, { get, change }, decide, options),
    delete: (id, options = {}) => write(context, options, (rest) => domain.deleteCustomer(owner, id, rest), nothing),
    data: (id, query = {}) =>
      list(
        textCursors('customer_data'),
        query,
        (rest) => domain.readCustomerData(owner, id, rest),
        (line) => uncheckedCast<CustomerDataLine>(line),
      ),
    erase: (id, options = {}) => write(context, options, (rest) => domain.eraseCustomer(owner, id, rest), written),
  };
}

/** Binds the use cases on persons who are found by email to one owner. */
function erasuresOf(context: OwnerContext, useCases: Domain<OrderDefinition>): Erasures {
  const { owner } = context;
  const domain = untyped(useCases);
  return {
    create: (input, options = {}) =>
      create(
        context,
        options,
        (rest) => domain.erasePerson(owner, asSent(input), rest),
        ({ erasure }) => ({ erasure }),
      ),
    get: (id, options = {}) => read(options, () => domain.getErasure(owner, id)),
    data: (query) =>
      list(
        textCursors('person_data'),
        query,
        (rest) => domain.readPersonData(owner, rest),
        (line) => uncheckedCast<CustomerDataLine>(line),
      ),
  };
}
