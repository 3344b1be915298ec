import type { Domain, OrderDefinition, ValidationFailed } from '@orders/domain';
import { WEBHOOK_ENDPOINTS_MAX, type Webhooks } from '@orders/domain/webhooks';
import type { ResultAsync } from 'neverthrow';
import { type Problem, SAFE_RETRY } from './problem.ts';

/** The use cases of orders, customers and webhooks. */
type UseCases = Omit<Domain<OrderDefinition>, 'definition'> & Omit<Webhooks<OrderDefinition>, 'definition'>;

/** The errors of some use cases. */
type ErrorsOf<UseCase extends keyof UseCases> = {
  [Each in UseCase]: ReturnType<UseCases[Each]> extends ResultAsync<unknown, infer E> ? E : never;
}[UseCase];

/** Every error of every use case. */
export type DomainError = ErrorsOf<keyof UseCases>;

/** The errors of lists. */
export type ListError = ErrorsOf<
  'listOrders' | 'listOrderItems' | 'listOrderVersions' | 'listCustomers' | 'listEndpoints' | 'listDeliveries'
>;

type Of<Type extends DomainError['type']> = Extract<DomainError, { readonly type: Type }>;

/** Maps each error to its problem. The type makes a missing error a compile error. */
const PROBLEMS: { readonly [Type in DomainError['type']]: (error: Of<Type>) => Problem } = {
  validation_failed: ({ errors }) => ({
    code: 'validation_failed',
    detail: 'One or more fields of the body are invalid. See `errors`.',
    errors,
  }),
  currency_mismatch: ({ field, currency }) => ({
    code: 'currency_mismatch',
    detail: `All items must use ${currency}, the currency of the first item.`,
    errors: [{ field, message: `must be ${currency}`, code: 'invalid_value' }],
  }),
  amount_out_of_range: ({ field }) => ({
    code: 'amount_out_of_range',
    detail: 'A total must be at most 9007199254740991 minor units.',
    errors: [{ field, message: 'must have a total of at most 9007199254740991', code: 'out_of_range' }],
  }),
  idempotency_key_reused: () => ({
    code: 'idempotency_key_reused',
    detail: 'This Idempotency-Key was already used for a different request. Use a new key.',
  }),
  order_not_found: () => ({ code: 'order_not_found', detail: 'You have no order with this id.' }),
  version_not_found: () => ({ code: 'version_not_found', detail: 'You have no order with this id and version.' }),
  customer_not_found: () => ({ code: 'customer_not_found', detail: 'You have no customer with this id.' }),
  webhook_endpoint_not_found: () => ({
    code: 'webhook_endpoint_not_found',
    detail: 'You have no webhook endpoint with this id.',
  }),
  delivery_not_found: () => ({
    code: 'delivery_not_found',
    detail: 'The webhook endpoint has no delivery of this event.',
  }),
  too_many_endpoints: () => ({
    code: 'too_many_endpoints',
    detail: `You have ${WEBHOOK_ENDPOINTS_MAX} webhook endpoints, the maximum. First delete one.`,
  }),
  secret_superseded: () => ({
    code: 'secret_superseded',
    detail: 'The secret that this request made was replaced since, and is not shown again.',
  }),
  version_mismatch: ({ current_version }) => ({
    code: 'precondition_failed',
    detail:
      'The current version does not satisfy If-Match or If-None-Match. The resource may have changed since it was read: fetch it again and retry.',
    extra: { current_version },
  }),
  // The rest is the time of the cancellation, in the member that the definition names.
  order_already_cancelled: ({ type: _type, current_version, ...time }) => ({
    code: 'order_already_cancelled',
    detail: 'The order is already cancelled. This request changed nothing.',
    extra: { ...time, current_version },
  }),
  invalid_status_transition: ({ current_status, requested_status, available_transitions }) => ({
    code: 'invalid_status_transition',
    detail: `${startsWithVowel(current_status) ? 'An' : 'A'} ${current_status} order cannot become ${requested_status}. Allowed: ${available_transitions.join(', ') || 'none'}.`,
    extra: { current_status, available_transitions },
  }),
  order_not_modifiable: ({ fields }) => ({
    code: 'order_not_modifiable',
    detail: `The order is cancelled, so its ${fields.join(' and ')} can no longer change.`,
  }),
  reference_taken: ({ order_id }) => ({
    code: 'reference_taken',
    detail: 'Another order, identified by `order_id`, already has this reference.',
    errors: [{ field: 'reference', message: 'is taken', code: 'taken' }],
    extra: { order_id },
  }),
  email_taken: ({ customer_id }) => ({
    code: 'email_taken',
    detail: 'Another customer, identified by `customer_id`, already has this email.',
    errors: [{ field: 'email', message: 'is taken', code: 'taken' }],
    extra: { customer_id },
  }),
  customer_has_orders: () => ({
    code: 'customer_has_orders',
    detail: 'Orders refer to this customer. First delete them or change their customer_id.',
  }),
  unavailable: ({ cause }) => ({
    code: 'unavailable',
    cause,
    detail: `A dependency of the server is temporarily unavailable. ${SAFE_RETRY}`,
  }),
};

function startsWithVowel(status: string): boolean {
  return ['a', 'e', 'i', 'o', 'u'].includes(status.charAt(0));
}

/** Returns the problem for an error of a use case. */
export function toProblem<Type extends DomainError['type']>(error: Of<Type> & { readonly type: Type }): Problem {
  return PROBLEMS[error.type](error);
}

/** Returns the problem for an error of a list. Its input is the query, so invalid input is 400 instead of 422. */
export function toListProblem(error: ListError): Problem {
  return error.type === 'validation_failed' ? invalidParameters(error) : toProblem(error);
}

function invalidParameters({ errors }: ValidationFailed): Problem {
  const code = errors[0]?.field === 'after' ? 'invalid_cursor' : 'invalid_parameter';
  return { code, detail: 'One or more parameters or headers are invalid. See `errors`.', errors };
}
