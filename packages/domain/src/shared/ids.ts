import { err, ok, type Result } from 'neverthrow';

/**
 * The client that a resource belongs to: 1 to 255 printable ASCII characters. Every port call takes the owner, so that
 * an id alone gives no access to a resource of another owner.
 */
export type Owner = string;

/** Checks whether `input`, of any type, is a valid {@link Owner}. */
export function isOwner(input: unknown): input is Owner {
  return typeof input === 'string' && /^[\x20-\x7e]{1,255}$/.test(input);
}

/**
 * Throws unless `input` is a valid {@link Owner}. An invalid owner is a bug of the caller, such as a failed session
 * lookup: an empty owner shared by all such requests would mix the orders of unrelated clients.
 *
 * @throws {TypeError} if the owner is invalid; the message omits the value, which may be personal data
 */
export function assertOwner(input: unknown): asserts input is Owner {
  assertText('owner', 'printable', isOwner(input), input);
}

/**
 * Checks whether `input`, of any type, is a valid {@link WriteOptions.idempotencyKey}: 1 to 255 visible ASCII
 * characters, which a space is not.
 */
export function isIdempotencyKey(input: unknown): input is string {
  return isOwner(input) && !input.includes(' ');
}

/**
 * Throws unless `input` is a valid {@link WriteOptions.idempotencyKey}. An invalid key is a bug of the caller, whose
 * retries would be further writes.
 *
 * @throws {TypeError} if the key is invalid; the message omits the value
 */
export function assertIdempotencyKey(input: unknown): asserts input is string {
  assertText('idempotency key', 'visible', isIdempotencyKey(input), input);
}

/**
 * Throws unless a text is valid.
 *
 * @throws {TypeError} it is not; the message omits the value
 */
export function assertText(name: string, kind: string, isValid: boolean, input: unknown): void {
  if (isValid) return;
  const got = typeof input === 'string' ? `a string of ${input.length}` : `a value of type ${typeof input}`;
  throw new TypeError(`the ${name} must be a string of 1 to 255 ${kind} ASCII characters, got ${got}`);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Checks whether `input` is a UUID in text form (RFC 9562 section 4), of any version and case. */
export function isUuid(input: string): boolean {
  return UUID.test(input);
}

/**
 * The id of a resource that has been validated. Only {@link ResourceId.parse} makes one, so that a use case takes it as
 * it is, and the id of a request is validated once.
 */
export class ResourceId {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** Parses an id; returns `undefined` for text that is not a UUID. */
  static parse(text: string): ResourceId | undefined {
    return isUuid(text) ? new ResourceId(text.toLowerCase()) : undefined;
  }

  /** Returns the UUID in lower case, as stored. */
  toString(): string {
    return this.#text;
  }
}

/** Returns an id in lower case, as stored, or the error `notFound` for text that is not a UUID. */
export function parseId<NotFound extends string>(
  id: string | ResourceId,
  notFound: NotFound,
): Result<string, { readonly type: NotFound; readonly id: string }> {
  // Text, also for the class of another copy of this package.
  const parsed = id instanceof ResourceId ? id : ResourceId.parse(String(id));
  return parsed ? ok(parsed.toString()) : err({ type: notFound, id: String(id) });
}

/** Port: generates ids. */
export interface IdSource {
  /** Returns a new UUIDv7 (RFC 9562 section 5.7) in lower case. Ids are unique and increase with time. */
  next(): string;
}
