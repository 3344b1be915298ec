import type { Result } from 'neverthrow';
import { laterOf, type Timestamp } from '../shared/clock.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import { changeMetadata } from '../shared/metadata.ts';
import type { CustomerChange } from './customer-details.ts';
import type { Customer } from './customer.ts';

/** The customer after a change, and the names of the fields that it changed. */
export interface ChangedCustomer {
  readonly customer: Customer;
  readonly changed: readonly string[];
}

/** Applies a change whole or refuses it whole. Pure: the time comes in, the customer goes out anew. */
export function applyCustomerChange(
  customer: Customer,
  change: CustomerChange,
  now: Timestamp,
): Result<ChangedCustomer, ValidationFailed> {
  const { email = customer.email, name = customer.name } = change;
  return changeMetadata(customer.metadata, change.metadata).map((metadata) => {
    const changed = [
      ...(email === customer.email ? [] : ['email']),
      ...(name === customer.name ? [] : ['name']),
      ...(metadata === customer.metadata ? [] : ['metadata']),
    ];
    if (changed.length === 0) return { customer, changed };
    const updated_at = laterOf(customer.updated_at, now);
    return { customer: { ...customer, email, name, metadata, version: customer.version + 1, updated_at }, changed };
  });
}
