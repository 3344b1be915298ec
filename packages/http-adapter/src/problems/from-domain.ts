import type { Domain, ValidationFailed } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { Problem } from './problem.ts';

/** The refusals of some use cases. */
type RefusalOf<UseCase extends keyof Domain> = {
  [Each in UseCase]: ReturnType<Domain[Each]> extends ResultAsync<unknown, infer Refusal> ? Refusal : never;
}[UseCase];

/** Every refusal of every use case. */
export type DomainError = RefusalOf<keyof Domain>;

/** The refusals of lists. */
export type ListError = RefusalOf<'listOrders' | 'listOrderItems' | 'listCustomers'>;

type Of<Type extends DomainError['type']> = Extract<DomainError, { readonly type: Type }>;

/** Each refusal as a problem. The compiler sees to it that none is missing. */
const PROBLEMS: { readonly [Type in DomainError['type']]: (error: Of<Type>) => Problem } = {
  validation_failed: ({ errors }) => ({ code: 'validation_failed', detail: 'See errors for each bad field.', errors }),
  currency_mismatch: ({ field, currency }) => ({
    code: 'currency_mismatch',
    detail: `All items must be in ${currency}, the currency of the first.`,
    errors: [{ field, message: `must be ${currency}`, code: 'invalid_value' }],
  }),
  amount_out_of_range: ({ field }) => ({
    code: 'amount_out_of_range',
    detail: 'A total exceeds 9007199254740991 minor units.',
    errors: [{ field, message: 'has a total above 9007199254740991', code: 'out_of_range' }],
  }),
  idempotency_key_reused: () => ({
    code: 'idempotency_key_reused',
    detail: 'This Idempotency-Key was used for a request with other values. Use a new key.',
  }),
  order_not_found: () => ({ code: 'order_not_found', detail: 'There is no order with this id.' }),
  customer_not_found: () => ({ code: 'customer_not_found', detail: 'There is no customer with this id.' }),
  version_mismatch: ({ current_version }) => ({
    code: 'precondition_failed',
    detail: 'It is not at a version that the request accepts. Read it again.',
    extra: { current_version },
  }),
  order_already_cancelled: ({ cancelled_at, current_version }) => ({
    code: 'order_already_cancelled',
    detail: 'The order was cancelled before; nothing changed.',
    extra: { cancelled_at, current_version },
  }),
  invalid_status_transition: ({ current_status, requested_status, available_transitions }) => ({
    code: 'invalid_status_transition',
    detail: `The order is ${current_status} and cannot become ${requested_status}.`,
    extra: { current_status, available_transitions },
  }),
  order_not_modifiable: ({ fields }) => ({
    code: 'order_not_modifiable',
    detail: `The order is cancelled: ${fields.join(' and ')} cannot change any more.`,
  }),
  reference_taken: ({ order_id }) => ({
    code: 'reference_taken',
    detail: 'Another order has this reference.',
    errors: [{ field: 'reference', message: 'is taken', code: 'taken' }],
    extra: { order_id },
  }),
  email_taken: ({ customer_id }) => ({
    code: 'email_taken',
    detail: 'Another customer has this email.',
    errors: [{ field: 'email', message: 'is taken', code: 'taken' }],
    extra: { customer_id },
  }),
  customer_has_orders: () => ({
    code: 'customer_has_orders',
    detail: 'Orders name this customer. Delete them, or take the customer out of them, first.',
  }),
  unavailable: ({ cause }) => ({
    code: 'unavailable',
    cause,
    detail: 'Try again shortly; with an Idempotency-Key nothing happens twice.',
  }),
};

/** What a client is told of a refusal. */
export function toProblem<Type extends DomainError['type']>(error: Of<Type> & { readonly type: Type }): Problem {
  return PROBLEMS[error.type](error);
}

/** What a client is told of a refused list: its query is in the URL, so its mistakes are 400. */
export function toListProblem(error: ListError): Problem {
  return error.type === 'validation_failed' ? invalidParameters(error) : toProblem(error);
}

function invalidParameters({ errors }: ValidationFailed): Problem {
  const code = errors[0]?.field === 'after' ? 'invalid_cursor' : 'invalid_parameter';
  return { code, detail: 'See errors for each bad part of the request.', errors };
}
