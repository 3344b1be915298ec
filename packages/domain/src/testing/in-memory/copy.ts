/**
 * A copy of a JSON value that shares nothing with it. Not `structuredClone`: its copies belong to the realm of the
 * runtime, so that under Jest they have other prototypes than the objects of the tests.
 */
export function copy<T>(value: T): T;
export function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => copy(element));
  if (typeof value !== 'object' || value === null) return value;
  // Object.fromEntries defines properties, where an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)]));
}
