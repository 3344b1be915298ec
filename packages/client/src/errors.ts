import type { DefaultDefinition, Definition, RefusalOf, StatusOf } from './definition.ts';
import type { PROBLEMS } from './generated/problems.ts';
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

type Problems = typeof PROBLEMS;
/** An operation of the document. */
export type Operation = keyof Problems;
/** The code of a problem that some operation has of its own. */
export type Code = { readonly [Each in Operation]: keyof Problems[Each] }[Operation];
/** What problems have beside the members of every problem, by their codes. */
type ProblemMembers = Schemas['ProblemMembers'];

/** Members of problems that depend on the definition. */
interface Defined<D extends Definition> {
  readonly order_already_cancelled: { readonly current_version: number } & {
    readonly [Status in D['cancel'] as `${Status}_at`]: string | null;
  };
  readonly invalid_status_transition: {
    readonly current_status: StatusOf<D>;
    readonly available_transitions: readonly StatusOf<D>[];
  };
}

/**
 * An error of some operations, by its code, such as `ErrorOf<'reference_taken'>`. It has the code as `type`, and the
 * members that a problem with this code has beside those of every problem.
 */
export type ErrorOf<C extends Code, D extends Definition = DefaultDefinition> = C extends Code
  ? Explained & { readonly type: C } & (C extends keyof Defined<D>
        ? Defined<D>[C]
        : C extends keyof ProblemMembers
          ? ProblemMembers[C]
          : unknown)
  : never;

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

/** Error: too many requests, also after all retries. The write has had no effect. */
export interface RateLimitedWrite extends RateLimited {
  /** The key that the write was sent with. */
  readonly idempotencyKey: string;
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
export type WriteError =
  | Exclude<ReadError, Unreachable | RateLimited>
  | RateLimitedWrite
  | UnknownOutcome
  | ErrorOf<'idempotency_key_reused' | 'validation_failed'>;

/** The errors that operations of the document have of their own. */
export type OwnErrors<Op extends Operation, D extends Definition = DefaultDefinition> = Op extends unknown
  ? ErrorOf<keyof Problems[Op] & Code, D>
  : never;

/** Error: a rule of the orders of this definition refuses the write. */
export type Refused<D extends Definition = DefaultDefinition> = RefusedFor<RefusalOf<D>>;

/** One member for each code, so that a `switch` narrows it. */
export type RefusedFor<Code extends string> = Code extends string
  ? Explained & {
      readonly type: 'refused';
      readonly code: Code;
      /** The reason in a sentence. */
      readonly message: string;
    }
  : never;

/** The errors of a write of an order: those of its operation, and the refusals of its definition. */
export type OrderWriteError<Op extends Operation, D extends Definition> = WriteError | OwnErrors<Op, D> | Refused<D>;

/** The errors of placing an order. */
export type PlaceOrderError<D extends Definition = DefaultDefinition> = OrderWriteError<'place_order', D>;
/** The errors of importing an order. */
export type ImportOrderError<D extends Definition = DefaultDefinition> = OrderWriteError<'create_order_batch', D>;
/** The errors of reading an order. */
export type GetOrderError = ReadError | OwnErrors<'get_order'>;
/** The errors of a list. */
export type ListError = ReadError | OwnErrors<'list_orders' | 'list_customers' | 'list_webhook_endpoints'>;
/** The errors of listing items or versions of an order. */
export type ListOfOrderError = ReadError | OwnErrors<'list_order_items' | 'list_order_versions'>;
/** The errors of reading a version of an order. */
export type GetOrderVersionError = ReadError | OwnErrors<'get_order_version'>;
/** The errors of cancelling an order or items of it. */
export type CancelOrderError<D extends Definition = DefaultDefinition> = OrderWriteError<'cancel_order', D>;
/** The errors of adjusting an order. */
export type AdjustOrderError<D extends Definition = DefaultDefinition> = OrderWriteError<'adjust_order', D>;
/** The errors of adding items to an order. */
export type AddItemsError<D extends Definition = DefaultDefinition> = OrderWriteError<'add_items', D>;
/** The errors of fulfilling items of an order. */
export type FulfillItemsError<D extends Definition = DefaultDefinition> = OrderWriteError<'fulfill_items', D>;
/** The errors of cancelling a fulfillment. */
export type CancelFulfillmentError<D extends Definition = DefaultDefinition> = OrderWriteError<'cancel_fulfillment', D>;
/** The errors of returning items of an order. */
export type ReturnItemsError<D extends Definition = DefaultDefinition> = OrderWriteError<'return_items', D>;
/** The errors of changing an order. */
export type ChangeOrderError<D extends Definition = DefaultDefinition> = OrderWriteError<'change_order', D>;
/** The errors of updating an order: those of its read and of its change. */
export type UpdateOrderError<D extends Definition = DefaultDefinition> =
  | ChangeOrderError<D>
  | RateLimited
  | Unreachable;
/** The errors of deleting an order. */
export type DeleteOrderError<D extends Definition = DefaultDefinition> = OrderWriteError<'delete_order', D>;

/** The errors of finding orders by email. */
export type SearchOrdersError = ReadError | OwnErrors<'search_orders'>;

/** The errors of creating a customer. A retry returns `customer_not_found` if the customer was deleted since. */
export type CreateCustomerError = WriteError | OwnErrors<'create_customer'>;
/** The errors of reading a customer. */
export type GetCustomerError = ReadError | OwnErrors<'get_customer'>;
/** The errors of searching customers. */
export type SearchCustomersError = ReadError | OwnErrors<'search_customers'>;
/** The errors of changing a customer. */
export type ChangeCustomerError = WriteError | OwnErrors<'change_customer'>;
/** The errors of updating a customer: those of its read and of its change. */
export type UpdateCustomerError = ChangeCustomerError | RateLimited | Unreachable;
/** The errors of deleting a customer. */
export type DeleteCustomerError = WriteError | OwnErrors<'delete_customer'>;
/** The errors of reading everything that is stored of a customer. */
export type CustomerDataError = ReadError | OwnErrors<'list_customer_data'>;
/** The errors of erasing a customer. */
export type EraseCustomerError = WriteError | OwnErrors<'erase_customer'>;

/** The errors of erasing a person by email. */
export type ErasePersonError = WriteError | OwnErrors<'erase_person'>;
/** The errors of reading an erasure. */
export type GetErasureError = ReadError | OwnErrors<'get_erasure'>;
/** The errors of reading everything that is stored of the person with an email. */
export type PersonDataError = ReadError | OwnErrors<'list_person_data'>;

/** The errors of reading events. */
export type ReadEventsError = ReadError | OwnErrors<'list_events'>;

/** The errors of reading statistics. */
export type ReadStatisticsError = ReadError | OwnErrors<'get_order_statistics'>;

/** The errors of creating a webhook endpoint. */
export type CreateEndpointError = WriteError | OwnErrors<'create_webhook_endpoint'>;
/** The errors of reading a webhook endpoint, or of a test of one. */
export type GetEndpointError = ReadError | OwnErrors<'get_webhook_endpoint' | 'test_webhook_endpoint'>;
/** The errors of changing a webhook endpoint. */
export type ChangeEndpointError = WriteError | OwnErrors<'change_webhook_endpoint'>;
/** The errors of rotating the secret of a webhook endpoint. */
export type RotateSecretError = WriteError | OwnErrors<'rotate_webhook_secret'>;
/** The errors of deleting a webhook endpoint. */
export type DeleteEndpointError = WriteError | OwnErrors<'delete_webhook_endpoint'>;
/** The errors of listing the deliveries of a webhook endpoint. */
export type ListDeliveriesError = ReadError | OwnErrors<'list_webhook_deliveries'>;
/** The errors of delivering an event again. */
export type RedeliverError = ReadError | OwnErrors<'redeliver_webhook_event'>;

/**
 * Ends a `switch` over the errors of an operation: `default: return exhaustive(error)`. It does not compile while an error
 * has no case, and names it.
 *
 * @throws {TypeError} always: the value is none of the union
 */
export function exhaustive(value: never): never {
  throw new TypeError(
    `a switch has no case for ${String(typeof value === 'object' ? Reflect.get(value, 'type') : value)}`,
  );
}
