import { ok, type Result } from 'neverthrow';
import { INVALID_CODES } from '../shared/invalid-codes.ts';
import { isEqualJson, mergePatch } from '../shared/json-values.ts';
import { utf8Bytes } from '../shared/page-bytes.ts';
import { INVALID_FIELDS_MAX, InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { ownLookups } from './lookups.ts';

/** Maximum size of custom data as JSON, in bytes. */
export const CUSTOM_BYTES_MAX = 16 * 1024;
/** Maximum size of a merge patch of custom data as JSON, in bytes: enough to remove every member and set all new ones. */
export const CUSTOM_PATCH_BYTES_MAX = 3 * CUSTOM_BYTES_MAX;
/** Maximum number of objects and arrays that custom data is nested in. */
export const CUSTOM_DEPTH_MAX = 32;

/** A merge patch (RFC 7396): objects are merged, `null` removes a member, and any other value replaces. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: MergePatch<T[Key]> | null | undefined }
    : T;

/** What reads custom data. */
type Customized = Pick<OrderDefinition, 'custom' | 'lookups'>;

/** Reads the custom data of a new order; `null` and an absent value mean none, which may not be allowed. */
export function readCustom(definition: Customized, input: unknown, invalid: InvalidFields): unknown {
  const { custom } = definition;
  if (!custom) return null;
  if (input === undefined || input === null) {
    if (custom.required) invalid.add('custom', 'required', 'is required');
    return null;
  }
  if (!isStorable(input, invalid) || !fits(toJson(input), invalid)) return null;
  const parsed = custom.parse(input);
  if (!('isErr' in parsed)) throw new TypeError('the parser of custom data returned no Result');
  if (parsed.isOk()) {
    const output = readOutput(parsed.value, invalid);
    for (const { field, code, message } of ownLookups(definition, output).faults) invalid.add(field, code, message);
    return output;
  }
  if (parsed.error.length === 0) throw new TypeError('the parser of custom data returned no invalid field');
  for (const { field, code, message } of parsed.error.slice(0, INVALID_FIELDS_MAX)) {
    if (!INVALID_CODES.includes(code)) throw new TypeError(`the parser of custom data returned the code "${code}"`);
    invalid.add(pathOf(field), code, message);
  }
  return null;
}

/** Reads a merge patch of custom data; {@link patchCustom} parses what results. */
export function readCustomPatch(input: unknown, invalid: InvalidFields): unknown {
  return isStorable(input, invalid) && fits(toJson(input), invalid, CUSTOM_PATCH_BYTES_MAX) ? input : null;
}

/**
 * Returns custom data after a merge patch (RFC 7396), parsed as a whole; `null` removes it. Returns `before` itself if
 * nothing changes.
 */
export function patchCustom(
  definition: Customized,
  before: unknown,
  patch: unknown,
): Result<unknown, ValidationFailed> {
  const merged = mergePatch(before, patch);
  if (isEqualJson(before, merged)) return ok(before);
  const invalid = new InvalidFields();
  const after = readCustom(definition, merged, invalid);
  return invalid.toResult(isEqualJson(before, after) ? before : after);
}

/** Returns what a parser made as it will be read again, or adds that it cannot be stored. */
function readOutput(value: unknown, invalid: InvalidFields): unknown {
  const text = toJson(value);
  const read: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isEqualJson(value, read) || read === undefined)
    throw new TypeError('the parser of custom data returned a value that is not JSON');
  return isStorable(value, invalid) && fits(text, invalid) ? read : null;
}

/** Returns the JSON of a value; `undefined` if it has none, such as a function or a `bigint`. */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A `bigint` has no JSON. To call a function for each member takes ten times as long.
    return JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? undefined : member));
  }
}

/** Checks the size of JSON, and adds that it is too long. */
function fits(json: string | undefined, invalid: InvalidFields, max = CUSTOM_BYTES_MAX): boolean {
  if (json === undefined || utf8Bytes(json) <= max) return true;
  invalid.add('custom', 'too_long', `must have at most ${max} bytes as JSON`);
  return false;
}

/** Checks text, numbers and depth of a value before a parser or a merge sees it, and adds what is wrong. */
function isStorable(value: unknown, invalid: InvalidFields, depth = 0): boolean {
  if (typeof value === 'string') return invalid.readStorableText(value, 'custom') !== undefined;
  // The JSON text `1e400` is read as infinity, which JSON cannot write.
  if (typeof value === 'number' && !Number.isFinite(value)) {
    invalid.add('custom', 'out_of_range', 'must not contain a number beyond those of a double, such as 1e400');
    return false;
  }
  if (typeof value !== 'object' || value === null) return true;
  if (depth === CUSTOM_DEPTH_MAX) {
    invalid.add('custom', 'invalid_value', `must be nested at most ${CUSTOM_DEPTH_MAX} times`);
    return false;
  }
  return Object.entries(value).every(
    ([key, member]) => isStorable(key, invalid) && isStorable(member, invalid, depth + 1),
  );
}

/** Returns the path of an invalid field of custom data in the command. */
function pathOf(field: string): string {
  return field === '' || field.startsWith('[') ? `custom${field}` : `custom.${field}`;
}
