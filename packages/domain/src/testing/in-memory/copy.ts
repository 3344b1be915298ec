/**
 * Returns a deep copy of a JSON value. It replaces `structuredClone`, whose copies belong to the realm of the runtime:
 * under Jest, their prototypes differ from those of the objects that tests create.
 */
export function copy<T>(value: T): T;
export function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => copy(element));
  if (typeof value !== 'object' || value === null) return value;
  // Object.fromEntries defines properties, whereas an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)]));
}
