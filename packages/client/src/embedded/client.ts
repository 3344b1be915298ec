import type {
  Cancellation,
  Customer,
  CustomerPatch,
  LineItem,
  NewCustomer,
  NewOrder,
  ORDERS,
  Order,
  OrderDefinition,
  OrderPatch,
  OrderVersion,
  Sort,
  StatusOf,
} from '@orders/domain';
import type { AbortSignalLike, EventType, FeedEvent, FeedInclude, FeedStart } from '@orders/domain/events';
import type {
  Attempt,
  DeliveryStatus,
  NewWebhookEndpoint,
  SecretRotation,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointPatch,
} from '@orders/domain/webhooks';
import type { ResultAsync } from 'neverthrow';
import type { OwnerErrors } from './errors.ts';
import type { OwnerListing, OwnerPageQuery } from './pages.ts';

/** Options of every call. */
export interface OwnerCallOptions {
  /** A call whose signal is aborted before it begins returns `unreachable` with the reason `aborted`. */
  readonly signal?: AbortSignalLike | undefined;
}

/** Options of a write. */
export interface OwnerWriteOptions extends OwnerCallOptions {
  /** Key of this write, 1 to 255 visible ASCII characters. Default: a new one, which the result has. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a change or deletion. */
export interface OwnerChangeOptions extends OwnerWriteOptions {
  /** Fails with `precondition_failed` unless the resource has this version. Default: any version. */
  readonly ifVersion?: number | undefined;
}

/** What every result of a write has. */
export interface OwnerWritten {
  /** Key of the write. */
  readonly idempotencyKey: string;
  /** Whether an earlier write with this key took effect, and this is its recorded result. */
  readonly replayed: boolean;
}

/** An order as the API has it. */
export type OwnerOrder<D extends OrderDefinition = typeof ORDERS> = Order<D> & {
  /** The statuses that the order can change to now. */
  readonly available_transitions: readonly StatusOf<D>[];
};

/** One version of an order as the API has it. */
export type OwnerOrderVersion<D extends OrderDefinition = typeof ORDERS> = Omit<OrderVersion<D>, 'order'> & {
  readonly order: OwnerOrder<D> | null;
};

/** A webhook endpoint as the API has it: without its secrets and its position in the feed. */
export type OwnerEndpoint<D extends OrderDefinition = typeof ORDERS> = Omit<WebhookEndpoint<D>, 'secrets' | 'start'>;

/** The version of a resource that a change made. */
interface OwnerResource<Type extends string, Data> {
  readonly type: Type;
  readonly id: string;
  readonly version: number;
  /** With `include: ['resource']`: the resource at this version; `null` once it was erased. */
  readonly data?: Data | null;
}

/** An event as the API has it. */
export type OwnerEvent<D extends OrderDefinition = typeof ORDERS> = Omit<FeedEvent<D>, 'resource'> & {
  readonly resource:
    | OwnerResource<'order', OwnerOrder<D>>
    | OwnerResource<'customer', Customer>
    | OwnerResource<'webhook_endpoint', OwnerEndpoint<D>>;
};

/** One page of events of an owner. */
export interface OwnerEventPage<D extends OrderDefinition = typeof ORDERS> {
  readonly data: readonly OwnerEvent<D>[];
  /** Where to continue, for `after`. */
  readonly next_cursor: string;
  /** Whether no later event was known. */
  readonly caught_up: boolean;
}

/** A query for a list of customers or webhook endpoints. */
export interface OwnerSortedQuery extends OwnerPageQuery, OwnerCallOptions {
  /** Default: newest first, by creation. */
  readonly sort?: Sort | undefined;
}

/** A query for a list of orders; an order must match all members. */
export interface OwnerOrderQuery<D extends OrderDefinition = typeof ORDERS> extends OwnerSortedQuery {
  readonly status?: readonly StatusOf<D>[] | undefined;
  readonly customer_id?: string | undefined;
  readonly reference?: string | undefined;
}

/** A query for the items of an order. */
export interface OwnerItemQuery extends OwnerPageQuery, OwnerCallOptions {}

/** A query for the versions of an order. `after` and `at` exclude each other. */
export interface OwnerVersionQuery extends Omit<OwnerPageQuery, 'offset'>, OwnerCallOptions {
  readonly at?: string | undefined;
}

/** A query for the deliveries of a webhook endpoint. */
export interface OwnerDeliveryQuery extends Omit<OwnerPageQuery, 'offset'>, OwnerCallOptions {
  readonly status?: DeliveryStatus | undefined;
}

/** Options of following the feed. `after` and `start: 'latest'` exclude each other. */
export interface OwnerFollowOptions<D extends OrderDefinition = typeof ORDERS> extends OwnerCallOptions {
  readonly after?: string | undefined;
  readonly start?: FeedStart | undefined;
  readonly types?: readonly EventType<D>[] | undefined;
  readonly include?: readonly FeedInclude[] | undefined;
}

/** A query for a page of events. */
export interface OwnerEventQuery<D extends OrderDefinition = typeof ORDERS> extends OwnerFollowOptions<D> {
  readonly limit?: number | undefined;
}

/** The result of a write of an order. */
export interface OwnerOrderWritten<D extends OrderDefinition = typeof ORDERS> extends OwnerWritten {
  readonly order: OwnerOrder<D>;
}

/** The result of a write of a customer. */
export interface OwnerCustomerWritten extends OwnerWritten {
  readonly customer: Customer;
}

/** The result of a write of a webhook endpoint. */
export interface OwnerEndpointWritten<D extends OrderDefinition = typeof ORDERS> extends OwnerWritten {
  readonly endpoint: OwnerEndpoint<D>;
}

/** The result of a write that makes a secret. */
export interface OwnerSecretWritten<D extends OrderDefinition = typeof ORDERS> extends OwnerEndpointWritten<D> {
  readonly secret: string;
}

type Call<Parameters extends readonly unknown[], Value, E> = (...parameters: Parameters) => ResultAsync<Value, E>;

/** The use cases of the orders of one owner. */
export interface OwnerOrders<D extends OrderDefinition = typeof ORDERS> {
  /** Places an order. */
  readonly place: Call<
    [input: NewOrder<D>, options?: OwnerWriteOptions],
    OwnerOrderWritten<D>,
    OwnerErrors<D>['place']
  >;
  /** Returns one order. */
  readonly get: Call<[id: string, options?: OwnerCallOptions], OwnerOrder<D>, OwnerErrors['get']>;
  /** Lists orders, newest first. */
  readonly list: (query?: OwnerOrderQuery<D>) => OwnerListing<OwnerOrder<D>, OwnerErrors['list']>;
  /** Lists the items of an order, in line order. */
  readonly items: (id: string, query?: OwnerItemQuery) => OwnerListing<LineItem, OwnerErrors['listOfOrder']>;
  /** Lists the versions of an order, newest first, also after its deletion. */
  readonly versions: (
    id: string,
    query?: OwnerVersionQuery,
  ) => OwnerListing<OwnerOrderVersion<D>, OwnerErrors['listOfOrder']>;
  /** Returns one version of an order. */
  readonly version: Call<
    [id: string, version: number, options?: OwnerCallOptions],
    OwnerOrderVersion<D>,
    OwnerErrors['version']
  >;
  /** Changes an order by a merge patch, as a whole or not at all. */
  readonly change: Call<
    [id: string, patch: OrderPatch<D>, options?: OwnerChangeOptions],
    OwnerOrderWritten<D>,
    OwnerErrors<D>['change']
  >;
  /** Reads an order and changes it by the patch that a function makes of it, at most five times. */
  readonly update: Call<
    [id: string, decide: (order: OwnerOrder<D>) => OrderPatch<D>, options?: OwnerWriteOptions],
    OwnerOrderWritten<D>,
    OwnerErrors<D>['update']
  >;
  /** Cancels an order. */
  readonly cancel: Call<
    [id: string, input?: Cancellation, options?: OwnerChangeOptions],
    OwnerOrderWritten<D>,
    OwnerErrors<D>['cancel']
  >;
  /** Deletes an order permanently, in any status. */
  readonly delete: Call<[id: string, options?: OwnerChangeOptions], OwnerWritten, OwnerErrors['delete']>;
}

/** The use cases of the customers of one owner. */
export interface OwnerCustomers {
  /** Creates a customer. */
  readonly create: Call<
    [input: NewCustomer, options?: OwnerWriteOptions],
    OwnerCustomerWritten,
    OwnerErrors['createCustomer']
  >;
  /** Returns one customer. */
  readonly get: Call<[id: string, options?: OwnerCallOptions], Customer, OwnerErrors['getCustomer']>;
  /** Lists customers, newest first. */
  readonly list: (query?: OwnerSortedQuery) => OwnerListing<Customer, OwnerErrors['list']>;
  /** Changes a customer by a merge patch, as a whole or not at all. */
  readonly change: Call<
    [id: string, patch: CustomerPatch, options?: OwnerChangeOptions],
    OwnerCustomerWritten,
    OwnerErrors['changeCustomer']
  >;
  /** Reads a customer and changes it by the patch that a function makes of it, at most five times. */
  readonly update: Call<
    [id: string, decide: (customer: Customer) => CustomerPatch, options?: OwnerWriteOptions],
    OwnerCustomerWritten,
    OwnerErrors['updateCustomer']
  >;
  /** Deletes a customer permanently, unless an order refers to it. */
  readonly delete: Call<[id: string, options?: OwnerChangeOptions], OwnerWritten, OwnerErrors['deleteCustomer']>;
}

/** The events of one owner. */
export interface OwnerEvents<D extends OrderDefinition = typeof ORDERS> {
  /** Returns one page of events, oldest first. */
  readonly page: Call<[query?: OwnerEventQuery<D>], OwnerEventPage<D>, OwnerErrors['events']>;
  /** Follows the events, and waits for new ones at the end, until the signal is aborted. */
  readonly follow: (options?: OwnerFollowOptions<D>) => AsyncIterable<OwnerEvent<D>>;
  /** Follows the events page by page, each with the cursor to store once its events are handled. */
  readonly followPages: (options?: OwnerFollowOptions<D>) => AsyncIterable<OwnerEventPage<D>>;
}

/** The use cases of the webhook endpoints of one owner. */
export interface OwnerWebhooks<D extends OrderDefinition = typeof ORDERS> {
  /** Creates a webhook endpoint and returns its secret. */
  readonly create: Call<
    [input: NewWebhookEndpoint<D>, options?: OwnerWriteOptions],
    OwnerSecretWritten<D>,
    OwnerErrors['createEndpoint']
  >;
  /** Returns one webhook endpoint. */
  readonly get: Call<[id: string, options?: OwnerCallOptions], OwnerEndpoint<D>, OwnerErrors['getEndpoint']>;
  /** Lists webhook endpoints, newest first. */
  readonly list: (query?: OwnerSortedQuery) => OwnerListing<OwnerEndpoint<D>, OwnerErrors['list']>;
  /** Changes a webhook endpoint by a merge patch, as a whole or not at all. */
  readonly change: Call<
    [id: string, patch: WebhookEndpointPatch<D>, options?: OwnerChangeOptions],
    OwnerEndpointWritten<D>,
    OwnerErrors['changeEndpoint']
  >;
  /** Deletes a webhook endpoint with its deliveries. */
  readonly delete: Call<[id: string, options?: OwnerChangeOptions], OwnerWritten, OwnerErrors['changeEndpoint']>;
  /** Makes a new secret, beside which the one before stays valid for a day or as long as you say. */
  readonly rotateSecret: Call<
    [id: string, input?: SecretRotation, options?: OwnerChangeOptions],
    OwnerSecretWritten<D>,
    OwnerErrors['rotateSecret']
  >;
  /** Sends a test message to a webhook endpoint at once and returns how it responded. */
  readonly test: Call<
    [id: string, options?: OwnerCallOptions],
    Omit<Attempt, 'retryAfterMs'>,
    OwnerErrors['getEndpoint']
  >;
  /** Lists the deliveries of a webhook endpoint, newest event first. */
  readonly deliveries: (
    id: string,
    query?: OwnerDeliveryQuery,
  ) => OwnerListing<WebhookDelivery<D>, OwnerErrors['deliveries']>;
  /** Delivers an event again, whatever the status of its delivery. */
  readonly redeliver: Call<
    [id: string, eventId: string, options?: OwnerCallOptions],
    WebhookDelivery<D>,
    OwnerErrors['redeliver']
  >;
}

/** Every use case of one owner: the methods, results and errors of a client of `@orders/client`. */
export interface OwnerClient<D extends OrderDefinition = typeof ORDERS> extends OwnerOrders<D> {
  readonly customers: OwnerCustomers;
  readonly events: OwnerEvents<D>;
  readonly webhooks: OwnerWebhooks<D>;
}
