import { invalidField, type ValidationFailed } from '../shared/validation.ts';
import type { UnknownCustomer } from './order-errors.ts';

/** Returns the error of an invalid `customer_id`. */
export function unknownCustomerError(): ValidationFailed {
  return invalidField('customer_id', 'not_found', 'must be the id of an existing customer');
}

/**
 * Converts an {@link UnknownCustomer} of the store to the error of an invalid field; returns other errors unchanged.
 */
export function mapUnknownCustomer<E extends { readonly type: string }>(
  error: E | UnknownCustomer,
): E | ValidationFailed {
  return isUnknownCustomer(error) ? unknownCustomerError() : error;
}

function isUnknownCustomer(error: { readonly type: string }): error is UnknownCustomer {
  return error.type === 'unknown_customer';
}
