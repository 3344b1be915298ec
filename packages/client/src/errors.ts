import type { DefaultDefinition, Definition, StatusOf } from './definition.ts';
import type { Schemas } from './schemas.ts';

/** What a server adds to an error for people. An embedded domain adds nothing. */
interface Explained {
  /** Human-readable explanation. */
  readonly detail?: string | undefined;
  /** Id to quote in a support request. */
  readonly request_id?: string | undefined;
}

/** One invalid field of an input. `code` may be one that a later server adds. */
export interface InvalidField {
  /** Path such as `items[0].quantity`, the name of a parameter, or `""` for the input itself. */
  readonly field: string;
  readonly message: string;
  readonly code: Schemas['InvalidField']['code'];
}

/** Error: the input is invalid in itself. */
export interface ValidationFailed extends Explained {
  readonly type: 'validation_failed';
  readonly errors: readonly InvalidField[];
}

/** Error: the items of an order have different currencies. */
export interface CurrencyMismatch extends Explained {
  readonly type: 'currency_mismatch';
  readonly errors: readonly InvalidField[];
}

/** Error: a total exceeds 2^53-1 minor units. */
export interface AmountOutOfRange extends Explained {
  readonly type: 'amount_out_of_range';
  readonly errors: readonly InvalidField[];
}

/** Error: the idempotency key was used for another command. */
export interface KeyReused extends Explained {
  readonly type: 'idempotency_key_reused';
}

/** Error: another order has this reference. */
export interface ReferenceTaken extends Explained {
  readonly type: 'reference_taken';
  /** Id of the order that has the reference. */
  readonly order_id: string;
  readonly errors: readonly InvalidField[];
}

/** Error: another customer has this email. */
export interface EmailTaken extends Explained {
  readonly type: 'email_taken';
  /** Id of the customer that has the email. */
  readonly customer_id: string;
  readonly errors: readonly InvalidField[];
}

/** Error: you have no such resource. */
export interface NotFound<Type extends string> extends Explained {
  readonly type: Type;
}

/** Error: you have no order with this id. */
export type OrderNotFound = NotFound<'order_not_found'>;
/** Error: you have no order with this id and version. */
export type VersionNotFound = NotFound<'version_not_found'>;
/** Error: you have no customer with this id. */
export type CustomerNotFound = NotFound<'customer_not_found'>;
/** Error: you have no webhook endpoint with this id. */
export type WebhookEndpointNotFound = NotFound<'webhook_endpoint_not_found'>;
/** Error: the webhook endpoint has no delivery of this event. */
export type DeliveryNotFound = NotFound<'delivery_not_found'>;

/** Error: the resource has another version than `ifVersion`. */
export interface PreconditionFailed extends Explained {
  readonly type: 'precondition_failed';
  readonly current_version: number;
}

/** Error: the order is already cancelled. */
export type OrderAlreadyCancelled<D extends Definition = DefaultDefinition> = Explained & {
  readonly type: 'order_already_cancelled';
  readonly current_version: number;
} & { readonly [Status in D['cancel'] as `${Status}_at`]: string | null };

/** Error: the order cannot change to the requested status. */
export interface InvalidStatusTransition<D extends Definition = DefaultDefinition> extends Explained {
  readonly type: 'invalid_status_transition';
  readonly current_status: StatusOf<D>;
  readonly available_transitions: readonly StatusOf<D>[];
}

/** Error: the order is cancelled, so its customer and reference cannot change. */
export interface OrderNotModifiable extends Explained {
  readonly type: 'order_not_modifiable';
}

/** Error: orders refer to the customer. */
export interface CustomerHasOrders extends Explained {
  readonly type: 'customer_has_orders';
}

/** Error: you have as many webhook endpoints as possible. */
export interface TooManyEndpoints extends Explained {
  readonly type: 'too_many_endpoints';
}

/** Error: the secret that an earlier attempt made was replaced since, and is not shown again. */
export interface SecretSuperseded extends Explained {
  readonly type: 'secret_superseded';
}

/** Error: the feed was restored to an earlier state. Read everything again. */
export interface FeedReset extends Explained {
  readonly type: 'feed_reset';
}

/** Error: events after the cursor were purged. Read everything again. */
export interface EventsExpired extends Explained {
  readonly type: 'events_expired';
  /** Cursor before the oldest event. */
  readonly oldest_cursor: string;
}

/** Error: the credentials are missing, invalid or expired. */
export interface Unauthenticated extends Explained {
  readonly type: 'unauthenticated';
}

/** Error: the credentials lack a scope. */
export interface InsufficientScope extends Explained {
  readonly type: 'insufficient_scope';
  readonly required_scope?: string | undefined;
}

/** Error: too many requests, also after all retries. Nothing was changed. */
export interface RateLimited extends Explained {
  readonly type: 'rate_limited';
  /** The wait that the server requests, in milliseconds; `null` if it requests none. */
  readonly retry_after_ms: number | null;
}

/** Error: the server rejected the request for a reason that the operation does not have in this release of the client. */
export interface UnexpectedResponse extends Explained {
  readonly type: 'unexpected_response';
  /** Status of the response; 0 for a redirect in a browser. */
  readonly status: number;
  /** Code of the problem; `null` if the response is no problem of the API. */
  readonly code: string | null;
}

/** Error: no usable response arrived, also after all retries. */
export interface Unreachable extends Explained {
  readonly type: 'unreachable';
  /**
   * `network`: no connection, or it broke. `timeout`: no response in time. `aborted`: by the caller's signal.
   * `unavailable`: the server could not complete the request. `invalid_response`: too large, or not JSON.
   */
  readonly reason: 'network' | 'timeout' | 'aborted' | 'unavailable' | 'invalid_response';
  /** Status of the last response; `null` without one. */
  readonly status: number | null;
  /** What an embedded store failed by, for logs; absent over HTTP. */
  readonly cause?: unknown;
}

/** Error: no usable response to a write arrived, so that it is unknown whether the write took effect. */
export interface UnknownOutcome extends Unreachable {
  readonly outcome: 'unknown';
  /** Repeat the write with this key: it takes effect once, whatever became of the attempts before. */
  readonly idempotencyKey: string;
}

/** The errors that every read can return, whichever resource it reads. */
export type ReadError = Unauthenticated | InsufficientScope | RateLimited | UnexpectedResponse | Unreachable;

/** The errors that every write can return, whichever resource it changes. */
export type WriteError = Exclude<ReadError, Unreachable> | KeyReused | UnknownOutcome | ValidationFailed;

/** The errors of placing an order. */
export type PlaceOrderError = WriteError | CurrencyMismatch | AmountOutOfRange | ReferenceTaken;
/** The errors of reading an order. */
export type GetOrderError = ReadError | OrderNotFound;
/** The errors of a list. */
export type ListError = ReadError | ValidationFailed;
/** The errors of listing items or versions of an order. */
export type ListOfOrderError = ListError | OrderNotFound;
/** The errors of reading a version of an order. */
export type GetOrderVersionError = ReadError | VersionNotFound;
/** The errors of cancelling an order. */
export type CancelOrderError<D extends Definition = DefaultDefinition> =
  | WriteError
  | OrderNotFound
  | PreconditionFailed
  | OrderAlreadyCancelled<D>
  | InvalidStatusTransition<D>;
/** The errors of changing an order. */
export type ChangeOrderError<D extends Definition = DefaultDefinition> =
  | CancelOrderError<D>
  | OrderNotModifiable
  | ReferenceTaken;
/** The errors of updating an order: those of its read and of its change. */
export type UpdateOrderError<D extends Definition = DefaultDefinition> = ChangeOrderError<D> | Unreachable;
/** The errors of deleting an order. */
export type DeleteOrderError = WriteError | OrderNotFound | PreconditionFailed;

/** The errors of creating a customer. A retry returns `customer_not_found` if the customer was deleted since. */
export type CreateCustomerError = WriteError | EmailTaken | CustomerNotFound;
/** The errors of reading a customer. */
export type GetCustomerError = ReadError | CustomerNotFound;
/** The errors of changing a customer. */
export type ChangeCustomerError = WriteError | CustomerNotFound | EmailTaken | PreconditionFailed;
/** The errors of updating a customer: those of its read and of its change. */
export type UpdateCustomerError = ChangeCustomerError | Unreachable;
/** The errors of deleting a customer. */
export type DeleteCustomerError = WriteError | CustomerNotFound | CustomerHasOrders | PreconditionFailed;

/** The errors of reading events. */
export type ReadEventsError = ListError | FeedReset | EventsExpired;

/** The errors of creating a webhook endpoint. */
export type CreateEndpointError = WriteError | TooManyEndpoints | SecretSuperseded | WebhookEndpointNotFound;
/** The errors of reading a webhook endpoint, or of a test of one. */
export type GetEndpointError = ReadError | WebhookEndpointNotFound;
/** The errors of changing a webhook endpoint. */
export type ChangeEndpointError = WriteError | WebhookEndpointNotFound | PreconditionFailed;
/** The errors of rotating the secret of a webhook endpoint. */
export type RotateSecretError = ChangeEndpointError | SecretSuperseded;
/** The errors of deleting a webhook endpoint. */
export type DeleteEndpointError = ChangeEndpointError;
/** The errors of listing the deliveries of a webhook endpoint. */
export type ListDeliveriesError = ListError | WebhookEndpointNotFound;
/** The errors of delivering an event again. */
export type RedeliverError = ListDeliveriesError | DeliveryNotFound;
