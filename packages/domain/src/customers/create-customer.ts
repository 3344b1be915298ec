import type { ResultAsync } from 'neverthrow';
import { createAggregate, except, mapBoth } from '../aggregates/write-aggregate.ts';
import { currentTimestamp } from '../shared/clock.ts';
import { readAuthor } from '../shared/author.ts';
import { createEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import { type FieldsInput, readFields } from '../shared/fields.ts';
import { idempotencyFor, type KeyReused, omitUnset } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { WriteOptions } from '../shared/write-options.ts';
import type { CustomerNotFound, EmailTaken } from './customer-errors.ts';
import { CUSTOMER_FIELDS, type CustomerFields, READ_ONLY_FIELDS } from './customer-details.ts';
import { isErased } from './customer.ts';
import { type CustomerPorts, type CustomerWritten, customerWritten } from './customer-repository.ts';

/** The input of a new customer. A member that is absent or `null` is not set. */
export interface NewCustomer extends FieldsInput<Omit<CustomerFields, 'email'>> {
  /** Unique per owner, in any case. */
  readonly email: string;
}

/**
 * The errors of creating a customer. A retry returns `customer_not_found` if the customer was deleted since. If it was erased,
 * a retry returns the erased customer as it is now.
 */
export type CreateCustomerError = ValidationFailed | KeyReused | CustomerNotFound | EmailTaken | Unavailable;

/** Creates a customer at version 1. All invalid fields of `input`, a {@link NewCustomer}, are reported together. */
export function createCustomer(
  ports: CustomerPorts,
  owner: Owner,
  input: unknown,
  options: WriteOptions = {},
): ResultAsync<CustomerWritten, CreateCustomerError> {
  const author = readAuthor(options);
  const invalid = new InvalidFields();
  const members = invalid.readObject(input, Object.keys(CUSTOMER_FIELDS), READ_ONLY_FIELDS);
  return invalid.toResult(readFields(CUSTOMER_FIELDS, members, invalid)).asyncAndThen((command) => {
    const key = idempotencyFor(ports, options, 'create_customer', omitUnset(command));
    const destination = { store: ports.customers, owner, key, missing: 'customer_not_found', isErased } as const;
    const created = createAggregate(destination, () => {
      const now = currentTimestamp(ports.clock);
      const times = { created_at: now, updated_at: now, erased_at: null, erasure: null };
      const after = { id: ports.ids.next(), ...command, version: 1, ...times };
      return { after, event: createEvent(ports.ids, owner, author, { type: 'customer.created', changed: [] }, after) };
    });
    return mapBoth(created, customerWritten, except('customer_has_orders', 'customer_erased'));
  });
}
