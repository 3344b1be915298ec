import { ok, type Result } from 'neverthrow';
import { utf8Bytes } from '../shared/page-bytes.ts';
import { InvalidFields, isPlainObject, type ValidationFailed } from '../shared/validation.ts';
import type { CustomData } from './definition/order-definition.ts';

/** Maximum size of custom data as JSON, in bytes. */
export const CUSTOM_BYTES_MAX = 16 * 1024;
/** Maximum number of objects and arrays that custom data is nested in. */
export const CUSTOM_DEPTH_MAX = 32;

/** A merge patch (RFC 7396): objects are merged, `null` removes a member, and any other value replaces. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: MergePatch<T[Key]> | null | undefined }
    : T;

/** Reads the custom data of a new order; `null` and an absent value mean none. */
export function readCustom(custom: CustomData<unknown>, input: unknown, invalid: InvalidFields): unknown {
  if (input === undefined || input === null || !isStorable(input, invalid)) return null;
  const parsed = custom.parse(input);
  if (parsed.isErr()) {
    if (parsed.error.length === 0) throw new TypeError('the parser of custom data returned no invalid field');
    for (const { field, code, message } of parsed.error) invalid.add(pathOf(field), code, message);
    return null;
  }
  return readOutput(parsed.value, invalid);
}

/** Reads a merge patch of custom data; {@link patchCustom} parses what results. */
export function readCustomPatch(input: unknown, invalid: InvalidFields): unknown {
  return isStorable(input, invalid) ? input : null;
}

/**
 * Returns custom data after a merge patch (RFC 7396), parsed as a whole; `null` removes it. Returns `before` itself if
 * nothing changes.
 */
export function patchCustom(
  custom: CustomData<unknown>,
  before: unknown,
  patch: unknown,
): Result<unknown, ValidationFailed> {
  const merged = merge(before, patch);
  if (isEqual(before, merged)) return ok(before);
  const invalid = new InvalidFields();
  const after = readCustom(custom, merged, invalid);
  return invalid.settle(isEqual(before, after) ? before : after);
}

/** Returns the value after a merge patch; both have at most {@link CUSTOM_DEPTH_MAX} levels. */
function merge(before: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch;
  // A map, because an assignment to `__proto__` would set the prototype.
  const merged = new Map(Object.entries(isPlainObject(before) ? before : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (value !== undefined) merged.set(key, merge(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/** Checks whether two values are the same JSON, which has no order of members and no `undefined` ones. */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((element, index) => isEqual(element, right[index]));
  if (!isPlainObject(left) || !isPlainObject(right)) return false;
  const keys = Object.keys(left).filter((key) => left[key] !== undefined);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key]))
  );
}

/** Returns what a parser made as it will be read again, or adds that it cannot be stored. */
function readOutput(value: unknown, invalid: InvalidFields): unknown {
  if (!isStorable(value, invalid)) return null;
  const text = JSON.stringify(value) as string | undefined;
  const read: unknown = text === undefined ? undefined : JSON.parse(text);
  if (text === undefined || !isEqual(value, read))
    throw new TypeError('the parser of custom data returned a value that is not JSON');
  if (utf8Bytes(text) > CUSTOM_BYTES_MAX)
    return invalid.add('custom', 'too_long', `must have at most ${CUSTOM_BYTES_MAX} bytes as JSON`);
  return read;
}

/** Checks text and depth of a value before a parser or a merge sees it, and adds what is wrong. */
function isStorable(value: unknown, invalid: InvalidFields, depth = 0): boolean {
  if (typeof value === 'string') return invalid.readStorableText(value, 'custom') !== undefined;
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
