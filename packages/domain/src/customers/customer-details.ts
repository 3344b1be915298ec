import { err, ok, type Result } from 'neverthrow';
import { InvalidFields, invalidField, isPlainObject, REFUSED, type ValidationFailed } from '../shared/validation.ts';
import { type Metadata, type MetadataPatch, readMetadata, readMetadataPatch } from '../shared/metadata.ts';
import { CUSTOMER_NAME_LENGTH_MAX, EMAIL_LENGTH_MAX, EMAIL_LENGTH_MIN } from './customer.ts';

/** A judged request for a new customer. */
export interface CreateCustomer {
  readonly email: string;
  readonly name: string | null;
  readonly metadata: Metadata;
}

/** A judged change of a customer; an absent member stays as it is. */
export interface CustomerChange {
  readonly email?: string;
  readonly name?: string | null;
  readonly metadata?: MetadataPatch | null;
}

const FIELDS = ['email', 'name', 'metadata'];
const READ_ONLY = ['id', 'version', 'created_at', 'updated_at'];

/** Judges the body of a new customer on its own. */
export function parseCreateCustomer(input: unknown): Result<CreateCustomer, ValidationFailed> {
  if (!isPlainObject(input)) return err(invalidField('', 'wrong_type', 'must be an object'));
  const invalid = new InvalidFields();
  invalid.onlyKnown(input, FIELDS, '', READ_ONLY);
  const email = readEmail(input['email'], invalid) ?? REFUSED;
  const name = readName(input['name'], invalid) ?? null;
  const metadata = readMetadata(input['metadata'], 'metadata', invalid) ?? {};
  return invalid.failure ? err(invalid.failure) : ok({ email, name, metadata });
}

/** Judges a merge patch of a customer (RFC 7396) on its own. */
export function parseCustomerChange(input: unknown): Result<CustomerChange, ValidationFailed> {
  if (!isPlainObject(input)) return err(invalidField('', 'wrong_type', 'must be an object'));
  const invalid = new InvalidFields();
  invalid.onlyKnown(input, FIELDS, '', READ_ONLY);
  const { email, name, metadata } = input;
  const change: CustomerChange = {
    ...(email !== undefined && { email: readEmail(email, invalid) ?? REFUSED }),
    ...(name !== undefined && { name: readName(name, invalid) ?? null }),
    ...(metadata !== undefined && { metadata: readNewMetadata(metadata, invalid) ?? null }),
  };
  return invalid.failure ? err(invalid.failure) : ok(change);
}

function readEmail(input: unknown, invalid: InvalidFields): string | undefined {
  const email = invalid.text(input, 'email', EMAIL_LENGTH_MIN, EMAIL_LENGTH_MAX);
  if (email === undefined) return undefined;
  // The least that every address has; whether mail arrives is found out by sending some.
  if (/^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(email)) return email;
  return invalid.add('email', 'invalid_format', 'must be an email address: one @, something on both sides, no spaces');
}

function readNewMetadata(input: unknown, invalid: InvalidFields): MetadataPatch | null | undefined {
  return input === null ? null : readMetadataPatch(input, 'metadata', invalid);
}

function readName(input: unknown, invalid: InvalidFields): string | null | undefined {
  return input === undefined || input === null ? null : invalid.text(input, 'name', 1, CUSTOMER_NAME_LENGTH_MAX);
}
