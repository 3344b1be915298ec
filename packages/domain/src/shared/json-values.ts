import { isPlainObject } from './validation.ts';

/** Returns a JSON value after a merge patch (RFC 7396). Recurses as deep as both are nested, which is bounded before. */
export function mergePatch<Value extends string | readonly string[]>(
  before: Readonly<Record<string, Value>>,
  patch: Readonly<Record<string, Value | null>>,
): Readonly<Record<string, Value>>;
export function mergePatch(before: unknown, patch: unknown): unknown;
export function mergePatch(before: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch;
  // A map, because an assignment to `__proto__` would set the prototype.
  const merged = new Map(Object.entries(isPlainObject(before) ? before : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (value !== undefined) merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/** Checks whether two values are the same JSON, which has no order of members and no `undefined` ones. */
export function isEqualJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((element, index) => isEqualJson(element, right[index]));
  if (!isPlainObject(left) || !isPlainObject(right)) return false;
  const keys = Object.keys(left).filter((key) => left[key] !== undefined);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqualJson(left[key], right[key]))
  );
}
