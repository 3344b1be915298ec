import { assertIdempotencyKey, assertText, isOwner } from './ids.ts';
import { assertOptions } from './validation.ts';
import type { ChangeOptions } from './version.ts';
import type { AuthorOptions, WriteOptions } from './write-options.ts';

/** Who made a change, as far as it is known. */
export interface Author {
  /** The credential that made the change; `null` if unknown. See {@link AuthorOptions.actor}. */
  readonly actor: string | null;
  /** The user for whom it was made; `null` if unknown, and once it was erased. See {@link AuthorOptions.externalUserId}. */
  readonly external_user_id: string | null;
}

/** The members of {@link AuthorOptions}. */
export const AUTHOR_OPTIONS: readonly string[] = ['actor', 'externalUserId'];

/** The author of a change that no request makes. */
export const UNKNOWN_AUTHOR: Author = Object.freeze({ actor: null, external_user_id: null });

/** Checks whether `input`, of any type, is a valid {@link AuthorOptions.actor}: 1 to 255 printable ASCII characters. */
export function isActor(input: unknown): input is string {
  return isOwner(input);
}

/** What an external user id is. */
export const EXTERNAL_USER_ID_RULE =
  'must be 1 to 255 printable ASCII characters without @, and without a space at an end';

/**
 * Checks whether `input`, of any type, is a valid {@link AuthorOptions.externalUserId}. An email address is none, and HTTP
 * would not keep a space at an end.
 */
export function isExternalUserId(input: unknown): input is string {
  return isOwner(input) && !/@|^ | $/.test(input);
}

/**
 * Validates who makes a change.
 *
 * @throws {TypeError} the actor or the external user id is invalid; the message omits the value, which may be personal data
 */
export function authorOf({ actor, externalUserId }: AuthorOptions): Author {
  if (actor !== undefined) assertText('actor', 'printable', isActor(actor), actor);
  if (externalUserId !== undefined && !isExternalUserId(externalUserId))
    throw new TypeError(`the external user id ${EXTERNAL_USER_ID_RULE}`);
  return { actor: actor ?? null, external_user_id: externalUserId ?? null };
}

/** The members of {@link WriteOptions}. */
const WRITE_OPTIONS: readonly string[] = ['idempotencyKey', ...AUTHOR_OPTIONS];

/**
 * Validates the options of a write, which have the members `known`, and returns its author. Each write calls it before it
 * calls a port: an invalid option is a bug of the caller.
 *
 * @throws {TypeError} an option is unknown or invalid
 */
export function readAuthor(options: WriteOptions, known = WRITE_OPTIONS): Author {
  assertOptions(options, known);
  const { idempotencyKey } = options;
  if (idempotencyKey !== undefined) assertIdempotencyKey(idempotencyKey);
  return authorOf(options);
}

const CHANGE_OPTIONS = [...WRITE_OPTIONS, 'ifVersion', 'unlessVersion'];

/**
 * Validates the options of a change or deletion, and returns its author as {@link readAuthor} does.
 *
 * @throws {TypeError} an option is unknown or invalid
 */
export function readAuthorOfChange(options: ChangeOptions): Author {
  const author = readAuthor(options, CHANGE_OPTIONS);
  const { ifVersion = [], unlessVersion = [] } = options;
  if (!Array.isArray(ifVersion) || !(unlessVersion === 'any' || Array.isArray(unlessVersion)))
    throw new TypeError('ifVersion and unlessVersion must be arrays of versions');
  return author;
}
