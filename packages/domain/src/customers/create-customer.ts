import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Ports } from '../ports.ts';
import { timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import { fingerprint, type KeyReused, onceFor, withoutNulls, type WriteOptions } from '../shared/idempotency.ts';
import { type Metadata, readMetadata } from '../shared/metadata.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { InvalidFields, invalidField, isPlainObject, REFUSED, type ValidationFailed } from '../shared/validation.ts';
import type { CustomerNotFound, EmailTaken } from './customer-errors.ts';
import { CUSTOMER_FIELDS, READ_ONLY_FIELDS, readEmail, readName } from './customer-details.ts';
import type { CustomerWritten } from './customer-repository.ts';

/** A judged request for a new customer. */
interface CreateCustomer {
  readonly email: string;
  readonly name: string | null;
  readonly metadata: Metadata;
}

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

/** Judges the body of a new customer on its own. */
function parseCreateCustomer(input: unknown): Result<CreateCustomer, ValidationFailed> {
  if (!isPlainObject(input)) return err(invalidField('', 'wrong_type', 'must be an object'));
  const invalid = new InvalidFields();
  invalid.onlyKnown(input, CUSTOMER_FIELDS, '', READ_ONLY_FIELDS);
  const email = readEmail(input['email'], invalid) ?? REFUSED;
  const name = readName(input['name'], invalid) ?? null;
  const metadata = readMetadata(input['metadata'], 'metadata', invalid) ?? {};
  return invalid.failure ? err(invalid.failure) : ok({ email, name, metadata });
}
