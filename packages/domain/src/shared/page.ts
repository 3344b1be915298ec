/** How many elements a page has when the caller does not say, and at most. */
export const PAGE_LIMIT_DEFAULT = 20;
/** The longest page that can be asked for, in elements. */
export const PAGE_LIMIT_MAX = 100;
/** How many elements may be skipped by number; further in, pages are reached by position. */
export const PAGE_OFFSET_MAX = 10_000;

/**
 * Where a page ended, so that the next can begin there (keyset pagination). It outlives the element it was taken from.
 */
export interface Position<Value> {
  /** The element's value of the field that the list is sorted by. */
  readonly value: Value;
  /** The element's id, which decides between equal values. */
  readonly id: string;
}

/** A stretch of a list. */
export interface Page<Element, Value> {
  readonly data: readonly Element[];
  /** Where the next page begins; `null` on the last page. */
  readonly next: Position<Value> | null;
}
