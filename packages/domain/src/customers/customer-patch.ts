import { err, ok, type Result } from 'neverthrow';
import { laterOf, type Timestamp } from '../shared/clock.ts';
import { changeMetadata, type MetadataPatch, readMetadataPatch } from '../shared/metadata.ts';
import { InvalidFields, invalidField, isPlainObject, REFUSED, type ValidationFailed } from '../shared/validation.ts';
import { CUSTOMER_FIELDS, READ_ONLY_FIELDS, readEmail, readName } from './customer-details.ts';
import type { Customer } from './customer.ts';

/** A judged change of a customer; an absent member stays as it is. */
export interface CustomerChange {
  readonly email?: string;
  readonly name?: string | null;
  readonly metadata?: MetadataPatch | null;
}

/** The customer after a change, and the names of the fields that it changed. */
export interface ChangedCustomer {
  readonly customer: Customer;
  readonly changed: readonly string[];
}

/** Judges a merge patch of a customer (RFC 7396) on its own. */
export function parseCustomerChange(input: unknown): Result<CustomerChange, ValidationFailed> {
  if (!isPlainObject(input)) return err(invalidField('', 'wrong_type', 'must be an object'));
  const invalid = new InvalidFields();
  invalid.onlyKnown(input, CUSTOMER_FIELDS, '', READ_ONLY_FIELDS);
  const { email, name, metadata } = input;
  const change: CustomerChange = {
    ...(email !== undefined && { email: readEmail(email, invalid) ?? REFUSED }),
    ...(name !== undefined && { name: readName(name, invalid) ?? null }),
    ...(metadata !== undefined && { metadata: readNewMetadata(metadata, invalid) ?? null }),
  };
  return invalid.failure ? err(invalid.failure) : ok(change);
}

function readNewMetadata(input: unknown, invalid: InvalidFields): MetadataPatch | null | undefined {
  return input === null ? null : readMetadataPatch(input, 'metadata', invalid);
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
