import { err, ok, type Result } from 'neverthrow';
import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import type { EventOutline } from '../shared/domain-event.ts';
import { type MetadataPatch, patchMetadata, readMetadataPatch } from '../shared/metadata.ts';
import { INVALID_TEXT, InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { CUSTOMER_FIELDS, READ_ONLY_FIELDS, readEmail, readName } from './customer-details.ts';
import type { CustomerErased } from './customer-errors.ts';
import type { Customer } from './customer.ts';

/** A merge patch of a customer (RFC 7396). An absent member leaves its field unchanged. */
export interface CustomerPatch {
  /** Unique per owner, in any case. */
  readonly email?: string | undefined;
  /** `null` removes it. */
  readonly name?: string | null | undefined;
  /** Keys to set, or to remove by `null`; `null` removes all. */
  readonly metadata?: MetadataPatch | null | undefined;
}

/** A validated change of a customer. An absent member leaves its field unchanged. */
interface CustomerChange {
  readonly email?: string;
  readonly name?: string | null;
  readonly metadata?: MetadataPatch | null;
}

/** The customer after a change, and the event to record; `null` if nothing changes. */
interface ChangedCustomer {
  readonly customer: Customer;
  readonly event: EventOutline<'customer.changed'> | null;
}

/** Parses a merge patch of a customer (RFC 7396), without the rules that depend on the current customer. */
export function parseCustomerPatch(input: unknown): Result<CustomerChange, ValidationFailed> {
  const invalid = new InvalidFields();
  const { email, name, metadata } = invalid.readObject(input, CUSTOMER_FIELDS, READ_ONLY_FIELDS);
  return invalid.toResult({
    ...(email !== undefined && { email: readEmail(email, invalid) ?? INVALID_TEXT }),
    ...(name !== undefined && { name: readName(name, invalid) ?? null }),
    ...(metadata !== undefined && { metadata: readMetadataPatch(metadata, 'metadata', invalid) ?? null }),
  });
}

/** Applies a change to a customer, or rejects it as a whole. A pure function: `customer` stays unchanged. */
export function applyCustomerChange(
  customer: Customer,
  change: CustomerChange,
  now: Timestamp,
): Result<ChangedCustomer, ValidationFailed | CustomerErased> {
  if (customer.erased_at !== null) return err({ type: 'customer_erased' });
  const { email = customer.email, name = customer.name, metadata: patch } = change;
  const patched = patch === undefined ? ok(customer.metadata) : patchMetadata(customer.metadata, patch);
  return patched.map((metadata) => {
    const changed = [
      ...(email === customer.email ? [] : ['email']),
      ...(name === customer.name ? [] : ['name']),
      ...(metadata === customer.metadata ? [] : ['metadata']),
    ];
    if (changed.length === 0) return { customer, event: null };
    const version = customer.version + 1;
    const updated_at = laterTimestamp(customer.updated_at, now);
    return {
      customer: { ...customer, email, name, metadata, version, updated_at },
      event: { type: 'customer.changed', changed },
    };
  });
}
