/** The value, frozen in depth: what a module shares with all who import it must not change for any of them. */
export function deepFreeze<const T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** A set that nothing can be added to or removed from once it is made; `Object.freeze` leaves the elements open. */
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
  throw new TypeError('this set cannot be changed');
}
