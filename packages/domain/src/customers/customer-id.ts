import { errAsync, type ResultAsync } from 'neverthrow';
import { isUuid } from '../shared/ids.ts';
import type { CustomerNotFound } from './customer-errors.ts';

/** Runs `use` with the id in its stored spelling. An id that no customer can have names no customer. */
export function withCustomerId<T, E>(
  id: string,
  use: (id: string) => ResultAsync<T, E>,
): ResultAsync<T, E | CustomerNotFound> {
  return isUuid(id) ? use(id.toLowerCase()) : errAsync({ type: 'customer_not_found', id });
}
