/** Who makes a change. */
export interface AuthorOptions {
  /**
   * The credential that makes the change, such as `api_key:ord_4fT9`: 1 to 255 printable ASCII characters. It is
   * recorded with the change, so it must not identify a person. Default: unknown.
   */
  readonly actor?: string | undefined;
  /**
   * The user for whom the change is made, by an opaque id that the caller has for it: 1 to 255 printable ASCII characters,
   * none of them `@`, and no space at an end. It is recorded with the change, and an erasure removes it. Default: unknown.
   */
  readonly externalUserId?: string | undefined;
}

/** Options of a write. A write with any other member, or an invalid one, throws a TypeError before it calls a port. */
export interface WriteOptions extends AuthorOptions {
  /** Makes retries of the write safe: 1 to 255 visible ASCII characters, unique per owner. Default: no key. */
  readonly idempotencyKey?: string | undefined;
}
