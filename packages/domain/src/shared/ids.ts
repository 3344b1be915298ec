import { err, ok, type Result } from 'neverthrow';

/**
 * Whom a resource belongs to: the authenticated client, 1 to 255 printable ASCII characters.
 * Every port call carries it, so nobody reaches another owner's resource by its id.
 */
export type Owner = string;

/** Whether `input`, of whatever type, is a valid {@link Owner}. */
export function isOwner(input: unknown): input is Owner {
  return typeof input === 'string' && /^[\x20-\x7e]{1,255}$/.test(input);
}

/**
 * Throws unless `input` is a valid {@link Owner}. An invalid one is a bug of the embedder, such as a session lookup that
 * found nothing: an empty owner shared by every such request would pool the orders of unrelated clients.
 *
 * @throws {TypeError} without the value itself, which may be personal data
 */
export function assertOwner(input: unknown): asserts input is Owner {
  if (isOwner(input)) return;
  const got = typeof input === 'string' ? `a string of ${input.length}` : `a value of type ${typeof input}`;
  throw new TypeError(`the owner must be a string of 1 to 255 printable ASCII characters, got ${got}`);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether `input` is a UUID in its usual text form (RFC 9562 section 4), of any version and case. */
export function isUuid(input: string): boolean {
  return UUID.test(input);
}

/** Returns an id in the case that is stored. Text that is not a UUID is the id of nothing: the error is `notFound`. */
export function parseId<NotFound extends string>(
  id: string,
  notFound: NotFound,
): Result<string, { readonly type: NotFound; readonly id: string }> {
  return isUuid(id) ? ok(id.toLowerCase()) : err({ type: notFound, id });
}

/** Port: makes ids. */
export interface IdSource {
  /** A UUIDv7 (RFC 9562 section 5.7) in lower case: unique, rising with time. Never returns the same twice. */
  next(): string;
}
