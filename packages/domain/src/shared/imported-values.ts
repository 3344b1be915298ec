import { AUTHOR_OPTIONS, type Author, readAuthor } from './author.ts';
import type { Timestamp } from './clock.ts';
import type { IdSource } from './ids.ts';
import type { InvalidFields } from './validation.ts';
import type { AuthorOptions } from './write-options.ts';

/** Maximum version of an imported resource. It leaves room for later changes in what stores can count. */
export const IMPORTED_VERSION_MAX = 1_000_000_000;

/** The options of an import. */
export interface ImportOptions extends AuthorOptions {
  /** Whether to validate the input and store nothing. Rules that depend on what is stored are not checked. Default: no. */
  readonly dryRun?: boolean | undefined;
  /**
   * Whether nothing behind the first input that fails is imported, and everything before it is. The outcomes end with it.
   * Default: no.
   */
  readonly stopOnError?: boolean | undefined;
}

/** What an import of several inputs does. */
export interface ImportMode {
  readonly isDryRun: boolean;
  readonly stopsOnError: boolean;
}

/**
 * Validates the options of an import, of which `others` are further names.
 *
 * @throws {TypeError} an option is unknown or invalid
 */
export function readImportOptions(
  options: ImportOptions,
  others: readonly string[] = [],
): { readonly author: Author; readonly mode: ImportMode } {
  const author = readAuthor(options, [...AUTHOR_OPTIONS, 'dryRun', 'stopOnError', ...others]);
  return { author, mode: { isDryRun: options.dryRun ?? false, stopsOnError: options.stopOnError ?? false } };
}

/** Whether a member of an import is absent or `null`. */
export function isMissing(input: unknown): input is null | undefined {
  return input === undefined || input === null;
}

/** Reads the ids of one kind of resource in an input. Each may appear once; a missing one is `known`, or else a new one. */
export function idReader(ids: IdSource, invalid: InvalidFields) {
  const seen = new Set<string>();
  return (input: unknown, path: string, known: string | undefined): string => {
    const id = isMissing(input) ? (known ?? ids.next()) : invalid.readUuid(input, path);
    if (id === undefined) return '';
    if (seen.has(id)) invalid.add(path, 'invalid_value', 'must not repeat an id');
    seen.add(id);
    return id;
  };
}

/** Reads the version of an imported resource. Default: 1. */
export function readImportedVersion(input: unknown, invalid: InvalidFields): number {
  return isMissing(input) ? 1 : (invalid.readInteger(input, 'version', 1, IMPORTED_VERSION_MAX) ?? 1);
}

/** Reads a time of an imported resource, which is from `earliest` to `now`; `undefined` for a missing or invalid one. */
export function readImportedTime(
  input: unknown,
  path: string,
  earliest: Timestamp | undefined,
  now: Timestamp,
  invalid: InvalidFields,
): Timestamp | undefined {
  if (isMissing(input)) return undefined;
  const time = invalid.readTimestamp(input, path);
  if (time === undefined) return undefined;
  if (time > now) return invalid.add(path, 'out_of_range', 'must not be after now');
  if (earliest !== undefined && time < earliest)
    return invalid.add(path, 'out_of_range', `must not be before ${earliest}`);
  return time;
}
