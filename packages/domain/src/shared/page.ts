/** Default number of elements of a page. */
export const PAGE_LIMIT_DEFAULT = 20;
/** Maximum number of elements of a page. */
export const PAGE_LIMIT_MAX = 100;
/** Maximum number of elements that an offset skips. Pages beyond it are reached by position. */
export const PAGE_OFFSET_MAX = 10_000;

/**
 * The end of a page, at which the next page starts (keyset pagination). It stays valid if its element is deleted.
 */
export interface Position<Value> {
  /** Value of the sort field of the last element. */
  readonly value: Value;
  /** Id of the last element, which orders elements with equal values. */
  readonly id: string;
}

/** One page of a list. */
export interface Page<Element, Value> {
  readonly data: readonly Element[];
  /** Position at which the next page starts; `null` on the last page. */
  readonly next: Position<Value> | null;
}
