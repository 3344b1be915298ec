import { errAsync, type ResultAsync } from 'neverthrow';
import { isUuid } from '../shared/ids.ts';
import { invalidField, type ValidationFailed } from '../shared/validation.ts';
import type { OrderNotFound, UnknownCustomer } from './order-errors.ts';

/** Runs `use` with the id in its stored spelling. An id that no order can have names no order. */
export function withOrderId<T, E>(
  id: string,
  use: (id: string) => ResultAsync<T, E>,
): ResultAsync<T, E | OrderNotFound> {
  return isUuid(id) ? use(id.toLowerCase()) : errAsync({ type: 'order_not_found', id });
}

export function unknownCustomer(): ValidationFailed {
  return invalidField('customer_id', 'not_found', 'names no customer');
}

/** Tells of a customer that the store does not have as of any other bad field. */
export function refuseUnknownCustomer<E extends { readonly type: string }>(
  error: E | UnknownCustomer,
): E | ValidationFailed {
  return isUnknownCustomer(error) ? unknownCustomer() : error;
}

function isUnknownCustomer(error: { readonly type: string }): error is UnknownCustomer {
  return error.type === 'unknown_customer';
}
