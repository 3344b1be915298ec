import { invalidField, type ValidationFailed } from '../shared/validation.ts';
import type { UnknownCustomer } from './order-errors.ts';

export function unknownCustomerError(): ValidationFailed {
  return invalidField('customer_id', 'not_found', 'names no customer');
}

/** Reports a customer that the store does not have like every other invalid field. */
export function mapUnknownCustomer<E extends { readonly type: string }>(
  error: E | UnknownCustomer,
): E | ValidationFailed {
  return isUnknownCustomer(error) ? unknownCustomerError() : error;
}

function isUnknownCustomer(error: { readonly type: string }): error is UnknownCustomer {
  return error.type === 'unknown_customer';
}
