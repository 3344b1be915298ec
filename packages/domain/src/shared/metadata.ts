import { err, ok, type Result } from 'neverthrow';
import { isEqualJson, mergePatch } from './json-values.ts';
import {
  INVALID_TEXT,
  invalidField,
  type InvalidFields,
  isLongerThan,
  isPlainObject,
  type ValidationFailed,
} from './validation.ts';

/**
 * Key-value pairs that a client stores with a resource. Every string is a valid key, including `__proto__`. The keys
 * are unordered, as in every JSON object (RFC 8259 section 4).
 */
export type Metadata = Readonly<Record<string, string>>;

/** A merge patch of {@link Metadata} (RFC 7396): a string sets a key, `null` removes it. */
export type MetadataPatch = Readonly<Record<string, string | null>>;

/** Maximum number of metadata keys of a resource. */
export const METADATA_KEYS_MAX = 50;
/** Maximum number of keys of a merge patch of metadata: as many as remove all keys of a resource and set all new ones. */
export const METADATA_PATCH_KEYS_MAX = 2 * METADATA_KEYS_MAX;
/** Maximum length of a metadata key, in Unicode code points. */
export const METADATA_KEY_LENGTH_MAX = 40;
/** Maximum length of a metadata value, in Unicode code points. */
export const METADATA_VALUE_LENGTH_MAX = 500;

/** The limits of metadata: the number of keys, and the lengths of values in Unicode code points. */
interface MetadataLimits {
  readonly keys: number;
  readonly valueMin: number;
  readonly valueMax: number;
}

const LIMITS: MetadataLimits = { keys: METADATA_KEYS_MAX, valueMin: 0, valueMax: METADATA_VALUE_LENGTH_MAX };

/** Reads the metadata of a new resource; `null` and an absent value mean no metadata. */
export function readMetadata(
  input: unknown,
  path: string,
  invalid: InvalidFields,
  limits = LIMITS,
): Metadata | undefined {
  if (input === undefined || input === null) return {};
  if (!isPlainObject(input)) return invalid.add(path, 'wrong_type', 'must be an object');
  return readEntries(input, path, limits.keys, invalid, (value, field) => readValue(value, field, invalid, limits));
}

/** Reads a patch of metadata; `null` removes all keys. {@link patchMetadata} checks the number of keys that result. */
export function readMetadataPatch(
  input: unknown,
  path: string,
  invalid: InvalidFields,
): MetadataPatch | null | undefined {
  if (input === null) return null;
  if (!isPlainObject(input)) return invalid.add(path, 'wrong_type', 'must be an object or null');
  return readEntries(input, path, METADATA_PATCH_KEYS_MAX, invalid, (value, field) =>
    value === null ? null : readValue(value, field, invalid),
  );
}

/**
 * Returns the metadata after a patch; a patch of `null` removes all keys. Returns `before` itself if nothing changes,
 * and an error if the result has more than {@link METADATA_KEYS_MAX} keys.
 */
export function patchMetadata(before: Metadata, patch: MetadataPatch | null): Result<Metadata, ValidationFailed> {
  const after = patch === null ? {} : mergePatch(before, patch);
  if (isEqualJson(before, after)) return ok(before);
  if (Object.keys(after).length <= METADATA_KEYS_MAX) return ok(after);
  return err(invalidField('metadata', 'too_long', atMost(METADATA_KEYS_MAX)));
}

function atMost(keys: number): string {
  return `must have at most ${keys} keys`;
}

/** Reads the members of metadata, whose number is checked before. */
function readEntries<T>(
  input: Readonly<Record<string, unknown>>,
  path: string,
  max: number,
  invalid: InvalidFields,
  read: (value: unknown, field: string) => T,
): Record<string, T> | undefined {
  const keys = Object.keys(input);
  if (keys.length > max) return invalid.add(path, 'too_long', atMost(max));
  const entries: [string, T][] = [];
  for (const key of keys) {
    const field = `${path}[${JSON.stringify(key)}]`;
    if (key === '') invalid.add(field, 'too_short', 'must have a key of at least 1 character');
    else if (isLongerThan(key, METADATA_KEY_LENGTH_MAX)) {
      invalid.add(field, 'too_long', `must have a key of at most ${METADATA_KEY_LENGTH_MAX} characters`);
    } else invalid.readStorableText(key, field);
    entries.push([key, read(input[key], field)]);
  }
  // It defines properties, whereas an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(entries);
}

function readValue(value: unknown, field: string, invalid: InvalidFields, { valueMin, valueMax } = LIMITS): string {
  const text =
    value === null
      ? invalid.add(field, 'wrong_type', 'must be a string')
      : invalid.readText(value, field, valueMin, valueMax);
  return text ?? INVALID_TEXT;
}
