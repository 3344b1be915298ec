/** Freezes `value` and all its members, so that no importer of a module can change a value that others share. */
export function deepFreeze<const T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** A set that cannot change after construction. `Object.freeze` alone does not protect the elements of a set. */
export class FrozenSet<T> extends Set<T> {
  constructor(elements: Iterable<T>) {
    super();
    for (const element of elements) super.add(element);
    Object.freeze(this);
  }

  override add(_element: T): never {
    return throwReadOnly();
  }

  override delete(_element: T): never {
    return throwReadOnly();
  }

  override clear(): never {
    return throwReadOnly();
  }
}

function throwReadOnly(): never {
  throw new TypeError('this set is read-only');
}
