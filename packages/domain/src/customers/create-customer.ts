import { errAsync, type ResultAsync } from 'neverthrow';
import { onceFor, type Ports, type WriteOptions } from '../ports.ts';
import { timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import { fingerprint, type KeyReused, withoutNulls } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { CustomerNotFound, EmailTaken } from './customer-errors.ts';
import { parseCreateCustomer } from './customer-details.ts';
import type { CustomerWritten } from './customer-repository.ts';

/** `customer_not_found` answers a repeat whose customer was deleted meanwhile and is forgotten. */
export type CreateCustomerError = ValidationFailed | KeyReused | CustomerNotFound | EmailTaken | Unavailable;

/** Creates a customer. `input` is untyped; every bad field of it is named. */
export function createCustomer(
  ports: Ports,
  owner: Owner,
  input: unknown,
  options: WriteOptions = {},
): ResultAsync<CustomerWritten, CreateCustomerError> {
  const command = parseCreateCustomer(input);
  if (command.isErr()) return errAsync(command.error);
  const now = timestamp(ports.clock);
  const customer = { id: ports.ids.next(), ...command.value, version: 1, created_at: now, updated_at: now };
  const event = {
    id: ports.ids.next(),
    type: 'customer.created',
    owner,
    aggregate_id: customer.id,
    version: customer.version,
    occurred_at: now,
    changed: [],
  } as const;
  const once = onceFor(ports, options, () => fingerprint('create_customer', withoutNulls(command.value)));
  return ports.customers.insert(owner, { customer, event }, once);
}
