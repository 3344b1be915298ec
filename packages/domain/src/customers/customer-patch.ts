import type { Decision } from '../aggregates/write-aggregate.ts';
import { err, ok, type Result } from 'neverthrow';
import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import type { EventOutline } from '../shared/domain-event.ts';
import { type FieldsPatch, patchFields, readFieldsPatch } from '../shared/fields.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { CUSTOMER_FIELDS, type CustomerFields, READ_ONLY_FIELDS } from './customer-details.ts';
import type { CustomerErased } from './customer-errors.ts';
import type { Customer } from './customer.ts';

/** A merge patch of a customer (RFC 7396). An absent member leaves its field unchanged. */
export type CustomerPatch = FieldsPatch<CustomerFields>;

/** Parses a merge patch of a customer (RFC 7396), without the rules that depend on the current customer. */
export function parseCustomerPatch(input: unknown): Result<CustomerPatch, ValidationFailed> {
  const invalid = new InvalidFields();
  const members = invalid.readObject(input, Object.keys(CUSTOMER_FIELDS), READ_ONLY_FIELDS);
  return invalid.toResult(readFieldsPatch(CUSTOMER_FIELDS, members, invalid));
}

/** Applies a change to a customer, or rejects it as a whole. A pure function: `customer` stays unchanged. */
export function applyCustomerChange(
  customer: Customer,
  change: CustomerPatch,
  now: Timestamp,
): Result<Decision<Customer, EventOutline<'customer.changed'>>, ValidationFailed | CustomerErased> {
  if (customer.erased_at !== null) return err({ type: 'customer_erased' });
  const { changed: fields, errors } = patchFields(CUSTOMER_FIELDS, customer, change);
  if (errors.length > 0) return err({ type: 'validation_failed', errors });
  const changed = Object.keys(fields);
  if (changed.length === 0) return ok({ after: customer, event: null });
  const version = customer.version + 1;
  const updated_at = laterTimestamp(customer.updated_at, now);
  return ok({
    after: { ...customer, ...fields, version, updated_at },
    event: { type: 'customer.changed', changed },
  });
}
