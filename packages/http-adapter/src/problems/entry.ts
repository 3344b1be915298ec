import type { Domain, InvalidField, OrderDefinition } from '@orders/domain';
import type { ReadFeedError } from '@orders/domain/events';
import type { Webhooks } from '@orders/domain/webhooks';
import type { ResultAsync } from 'neverthrow';

/** The use cases of orders, customers and webhooks that have an operation. */
type UseCases = Omit<Domain<OrderDefinition>, 'definition' | `importCustomer${string}`> &
  Omit<Webhooks<OrderDefinition>, 'definition'>;

/** The errors of some use cases. */
type ErrorsOf<UseCase extends keyof UseCases> = {
  [Each in UseCase]: ReturnType<UseCases[Each]> extends ResultAsync<unknown, infer E> ? E : never;
}[UseCase];

/** The errors of lists. */
export type ListError = ErrorsOf<
  | 'listOrders'
  | 'listOrderItems'
  | 'listOrderVersions'
  | 'listCustomers'
  | 'readCustomerData'
  | 'listEndpoints'
  | 'listDeliveries'
>;

/** Every error of every use case. */
export type DomainError = ErrorsOf<keyof UseCases>;

/** An error of the domain under the code of its problem. The feed has positions, and the API cursors. */
export type CodedError =
  | Exclude<DomainError | ReadFeedError, { readonly type: 'events_expired' }>
  | { readonly type: 'events_expired'; readonly oldest_cursor: string };

/** The members of the error with a code, if the domain has one. */
export type MembersOf<Code extends string> = Omit<Extract<CodedError, { readonly type: Code }>, 'type'>;

/** What one occurrence of a problem has. */
export interface Occurrence {
  /** An explanation of this occurrence, for people. */
  readonly detail: string;
  /** Every invalid field. */
  readonly errors?: readonly InvalidField[];
  /** Further members of the body, such as `current_version`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** The error behind the problem. It is logged and never sent. */
  readonly cause?: unknown;
}

/** What all occurrences of a problem have in common. */
interface Common {
  readonly status: number;
  /** The status if the request changes a resource, whose state is then the cause. Default: `status`. */
  readonly statusOfChange?: number;
  readonly title: string;
  /** The page of `docs/guides` about what the client wanted to do. */
  readonly guide: string;
  /** The cause of the problem. */
  readonly happened: string | ((definition: OrderDefinition) => string);
  /** What the client should do. */
  readonly remedy: string;
}

/** A problem whose occurrence is an example, or the `detail` of a domain error without members. */
interface Fixed extends Common, Occurrence {
  readonly of?: undefined;
}

/** A problem with members of an error of the domain. */
interface Made<Members> extends Common {
  readonly of: (error: Members) => Occurrence;
  /** The members of the error in the example of the OpenAPI document. */
  readonly example: (definition: OrderDefinition) => Members;
}

/** Everything about one problem. Responses, the OpenAPI document, its page and its documentation are made of it. */
export type Entry<Members> = Fixed | Made<Members>;

/** Types the entries of the catalog. There must be one for each error of the domain. */
export function catalog<Own extends string>(entries: {
  readonly [Code in Own | CodedError['type']]: Entry<MembersOf<Code>>;
}) {
  return entries;
}

/** The part of the detail of a 5xx that states when a retry is safe. */
export const SAFE_RETRY = 'Retry later; a retry of a write is safe only with the same Idempotency-Key.';
