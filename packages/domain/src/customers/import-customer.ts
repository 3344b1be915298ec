import { okAsync, type Result, type ResultAsync } from 'neverthrow';
import { assertBatch, BATCH_MAX, caught, onlyResult } from '../aggregates/create-together.ts';
import { type IdTaken, type Import, importAggregates } from '../aggregates/import-aggregate.ts';
import { except } from '../aggregates/write-aggregate.ts';
import { currentTimestamp, type Timestamp } from '../shared/clock.ts';
import type { Author } from '../shared/author.ts';
import { createEvent } from '../shared/domain-event.ts';
import { readFields } from '../shared/fields.ts';
import type { Owner } from '../shared/ids.ts';
import {
  idReader,
  isMissing,
  type ImportOptions,
  readImportedTime,
  readImportedVersion,
  readImportOptions,
} from '../shared/imported-values.ts';
import { isEqualJson } from '../shared/json-values.ts';
import { readMetadata } from '../shared/metadata.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { InternalError, Unavailable } from '../shared/unavailable.ts';
import type { NewCustomer } from './create-customer.ts';
import { CUSTOMER_FIELDS, READ_ONLY_FIELDS } from './customer-details.ts';
import { parseCustomerQuery } from './customer-query.ts';
import type { CustomerErased, CustomerHasOrders, EmailTaken } from './customer-errors.ts';
import type { CustomerEvent } from './customer-kind.ts';
import { type CustomerPorts, type CustomerWritten, customerWritten } from './customer-repository.ts';
import type { Customer } from './customer.ts';

/** A customer of another system. Times are RFC 3339 with any offset, and none is in the future. */
export interface ImportedCustomer extends Omit<NewCustomer, 'email'> {
  /** Required, but for an erased customer. */
  readonly email?: string | null | undefined;
  /** A UUID. Default: a new one, or that of the customer with the email, if the rest is the same. */
  readonly id?: string | null | undefined;
  /** 1 to {@link IMPORTED_VERSION_MAX}. Default: 1. */
  readonly version?: number | null | undefined;
  /** Default: now. */
  readonly created_at?: Timestamp | null | undefined;
  /** Default: `erased_at`, or else `created_at`. */
  readonly updated_at?: Timestamp | null | undefined;
  /** Of an erased customer, who has an `id`, and no email, name or metadata. The erasure is done. Default: not erased. */
  readonly erased_at?: Timestamp | null | undefined;
}

/** The errors of importing a customer. */
export type ImportCustomerError = ValidationFailed | IdTaken | EmailTaken | InternalError | Unavailable;

/**
 * Imports a customer with its id and times, and records the event `customer.imported` now. If the owner has it already with
 * the content of `input`, an {@link ImportedCustomer}, returns it as a replay. All invalid fields are reported together.
 */
export function importCustomer(
  ports: CustomerPorts,
  owner: Owner,
  input: unknown,
  options: ImportOptions = {},
): ResultAsync<CustomerWritten, ImportCustomerError> {
  return importCustomers(ports, owner, [input], options).andThen(onlyResult);
}

/**
 * Imports several customers together, each with the outcome of {@link importCustomer}, in their order.
 *
 * @throws {RangeError} there are more than {@link BATCH_MAX}
 */
export function importCustomers(
  ports: CustomerPorts,
  owner: Owner,
  inputs: readonly unknown[],
  options: ImportOptions = {},
): ResultAsync<readonly Result<CustomerWritten, ImportCustomerError>[], never> {
  assertBatch(inputs);
  const { author, mode } = readImportOptions(options);
  const prepared = inputs.map((input) => caught(() => prepareImport(ports, owner, author, input)));
  const findAny = (ids: readonly string[]) =>
    parseCustomerQuery({ ids, limit: BATCH_MAX })
      .asyncAndThen((query) => ports.customers.list(owner, query))
      .map(({ data }) => data);
  return importAggregates({ store: ports.customers, owner, findAny }, prepared, mode).map((outcomes) =>
    outcomes.map((outcome) =>
      caught(() => outcome.map(customerWritten).mapErr(except('customer_has_orders', 'customer_erased'))),
    ),
  );
}

/** Validates a customer without the rules that depend on stored data, and returns how to import it. */
function prepareImport(
  ports: CustomerPorts,
  owner: Owner,
  author: Author,
  input: unknown,
): Result<Import<Customer, CustomerEvent, EmailTaken | CustomerHasOrders | CustomerErased>, ValidationFailed> {
  return readImportedCustomer(ports, input, null).map((after) => {
    const { id, version } = after;
    const imported = { id, version, updated_at: currentTimestamp(ports.clock) };
    return {
      after,
      event: createEvent(ports.ids, owner, author, { type: 'customer.imported', changed: [] }, imported),
      holderOf: (refused) => (refused.type === 'email_taken' ? refused.customer_id : null),
      instead: () => okAsync(null),
      isSame: (existing) => {
        const again = readImportedCustomer(ports, input, existing);
        return again.isOk() && isEqualJson(again.value, existing);
      },
      find: (existing) => ports.customers.load(owner, existing).map((loaded) => loaded && loaded.aggregate),
    };
  });
}

/** Reads a customer of another system. Values that it may lack are those of `like`, or else new ones. */
function readImportedCustomer(
  { ids, clock }: Pick<CustomerPorts, 'ids' | 'clock'>,
  input: unknown,
  like: Customer | null,
): Result<Customer, ValidationFailed> {
  const invalid = new InvalidFields();
  const now = currentTimestamp(clock);
  const members = invalid.readObject(input, [...Object.keys(CUSTOMER_FIELDS), ...READ_ONLY_FIELDS]);
  const id = idReader(ids, invalid)(members['id'], 'id', like?.id);
  const version = readImportedVersion(members['version'], invalid);
  const created_at =
    readImportedTime(members['created_at'], 'created_at', undefined, now, invalid) ?? like?.created_at ?? now;
  const erased_at = readImportedTime(members['erased_at'], 'erased_at', created_at, now, invalid) ?? null;
  const last = erased_at ?? created_at;
  const updated_at = readImportedTime(members['updated_at'], 'updated_at', last, now, invalid) ?? last;
  const times = { version, created_at, updated_at, erased_at };
  if (isMissing(members['erased_at']))
    return invalid.toResult({ id, ...readFields(CUSTOMER_FIELDS, members, invalid), ...times, erasure: null });
  // No order that is stored can refer to a customer who is not, so that nothing is left to erase.
  const erasure = like?.erasure ?? ({ status: 'done' } as const);
  return invalid.toResult({ id, ...readErasedFields(members, invalid), ...times, erasure });
}

/** Reads the fields of an erased customer, who has none. */
function readErasedFields(members: Readonly<Record<string, unknown>>, invalid: InvalidFields) {
  if (isMissing(members['id'])) invalid.add('id', 'required', 'is required, as the customer is erased');
  for (const name of ['email', 'name'])
    if (!isMissing(members[name])) invalid.add(name, 'invalid_value', 'must be null, as the customer is erased');
  const metadata = readMetadata(members['metadata'], 'metadata', invalid) ?? {};
  if (Object.keys(metadata).length > 0)
    invalid.add('metadata', 'invalid_value', 'must be empty, as the customer is erased');
  return { email: null, name: null, metadata: {} };
}
