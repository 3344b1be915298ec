/**
 * Whom a resource belongs to: the authenticated client, 1 to 255 printable ASCII characters.
 * Every port call carries it, so nobody reaches another owner's resource by its id.
 */
export type Owner = string;

/** Whether `input` may be an {@link Owner}. */
export function isOwner(input: string): input is Owner {
  return /^[\x20-\x7e]{1,255}$/.test(input);
}

/** Port: makes ids. */
export interface IdSource {
  /** A UUIDv7 (RFC 9562 section 5.7) in lower case: unique, rising with time. Never returns the same twice. */
  next(): string;
}
