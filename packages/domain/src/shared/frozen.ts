/** Freezes `value` and all its members but functions, so that no importer of a module can change a value that others share. */
export function deepFreeze<const T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) deepFreeze(member);
  return typeof value === 'function' ? value : Object.freeze(value);
}

/** Returns a set that cannot change. `Object.freeze` alone does not protect the elements of a set. */
export function frozenSet<T>(elements: Iterable<T>): ReadonlySet<T> {
  const refused = { add: throwReadOnly, delete: throwReadOnly, clear: throwReadOnly };
  return Object.freeze(Object.assign(new Set(elements), refused));
}

function throwReadOnly(): never {
  throw new TypeError('this set is read-only');
}
