import type { ORDERS, OrderDefinition, StatusOf, Timestamp } from '@orders/domain';

/** What a server adds to an error for people. An embedded domain adds nothing. */
interface Explained {
  readonly detail?: string | undefined;
  readonly request_id?: string | undefined;
}

/** One invalid field of an input. */
interface InvalidFieldOfOwner {
  readonly field: string;
  readonly message: string;
  readonly code: string;
}

/** An error whose type says everything. */
interface Plain<Type extends string> extends Explained {
  readonly type: Type;
}

/** An error with invalid fields. */
interface Invalid<Type extends string> extends Plain<Type> {
  readonly errors: readonly InvalidFieldOfOwner[];
}

/** Error: the store could not be reached. */
interface UnreachableStore extends Plain<'unreachable'> {
  readonly reason: 'network' | 'timeout' | 'aborted' | 'unavailable' | 'invalid_response';
  readonly status: number | null;
  /** What the store failed by, for logs. */
  readonly cause?: unknown;
}

/** Error: the store could not be reached, so that it is unknown whether the write took effect. */
interface UnknownOutcomeOfOwner extends UnreachableStore {
  readonly outcome: 'unknown';
  /** Repeat the write with this key: it takes effect once. */
  readonly idempotencyKey: string;
}

/** The errors that only HTTP produces. A program that handles them can use a server later. */
type HttpError =
  | Plain<'unauthenticated'>
  | (Plain<'insufficient_scope'> & { readonly required_scope?: string | undefined })
  | (Plain<'rate_limited'> & { readonly retry_after_ms: number | null })
  | (Plain<'unexpected_response'> & { readonly status: number; readonly code: string | null });

type PreconditionFailed = Plain<'precondition_failed'> & { readonly current_version: number };
type ReferenceTaken = Invalid<'reference_taken'> & { readonly order_id: string };
type EmailTaken = Invalid<'email_taken'> & { readonly customer_id: string };

/** The errors of every read of an owner. */
type OwnerReadError = HttpError | UnreachableStore;
/** The errors of every write of an owner. */
type OwnerWriteError =
  | HttpError
  | UnknownOutcomeOfOwner
  | Invalid<'validation_failed'>
  | Plain<'idempotency_key_reused'>;
/** The errors of a list of an owner. */
type OwnerListError = OwnerReadError | Invalid<'validation_failed'>;

/** The errors of the use cases of an owner, by the name of the use case. */
export interface OwnerErrors<D extends OrderDefinition = typeof ORDERS> {
  readonly place: OwnerWriteError | Invalid<'currency_mismatch'> | Invalid<'amount_out_of_range'> | ReferenceTaken;
  readonly get: OwnerReadError | Plain<'order_not_found'>;
  readonly list: OwnerListError;
  readonly listOfOrder: OwnerListError | Plain<'order_not_found'>;
  readonly version: OwnerReadError | Plain<'version_not_found'>;
  readonly cancel:
    | OwnerWriteError
    | Plain<'order_not_found'>
    | PreconditionFailed
    | (Plain<'order_already_cancelled'> & { readonly current_version: number } & {
        readonly [Status in D['cancel'] as `${Status}_at`]: Timestamp | null;
      })
    | (Plain<'invalid_status_transition'> & {
        readonly current_status: StatusOf<D>;
        readonly available_transitions: readonly StatusOf<D>[];
      });
  readonly change: OwnerErrors<D>['cancel'] | Plain<'order_not_modifiable'> | ReferenceTaken;
  readonly update: OwnerErrors<D>['change'] | UnreachableStore;
  readonly delete: OwnerWriteError | Plain<'order_not_found'> | PreconditionFailed;
  readonly createCustomer: OwnerWriteError | EmailTaken | Plain<'customer_not_found'>;
  readonly getCustomer: OwnerReadError | Plain<'customer_not_found'>;
  readonly changeCustomer: OwnerErrors['createCustomer'] | PreconditionFailed;
  readonly updateCustomer: OwnerErrors['changeCustomer'] | UnreachableStore;
  readonly deleteCustomer:
    | OwnerWriteError
    | Plain<'customer_not_found'>
    | Plain<'customer_has_orders'>
    | PreconditionFailed;
  readonly events:
    | OwnerListError
    | Plain<'feed_reset'>
    | (Plain<'events_expired'> & { readonly oldest_cursor: string });
  readonly createEndpoint:
    | OwnerWriteError
    | Plain<'too_many_endpoints'>
    | Plain<'secret_superseded'>
    | Plain<'webhook_endpoint_not_found'>;
  readonly getEndpoint: OwnerReadError | Plain<'webhook_endpoint_not_found'>;
  readonly changeEndpoint: OwnerWriteError | Plain<'webhook_endpoint_not_found'> | PreconditionFailed;
  readonly rotateSecret: OwnerErrors['changeEndpoint'] | Plain<'secret_superseded'>;
  readonly deliveries: OwnerListError | Plain<'webhook_endpoint_not_found'>;
  readonly redeliver: OwnerErrors['deliveries'] | Plain<'delivery_not_found'>;
}

/** The errors that end an iteration. */
export type OwnerIterationError = OwnerErrors['listOfOrder' | 'deliveries' | 'events'];
