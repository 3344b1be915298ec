import type { Page, Position, Timestamp } from '@orders/domain';

/** What a page by creation is read with: one row more than its limit says whether another one follows. */
export interface PagedBy {
  readonly after: Timestamp | null;
  readonly after_id: string | null;
  readonly limit: number;
}

/** Returns the values with which a statement reads a page. */
export function pagedBy(after: Position<Timestamp> | null | undefined, limit: number): PagedBy {
  return { after: after?.value ?? null, after_id: after?.id ?? null, limit: limit + 1 };
}

/** Returns the page of what was read, and the position at which the next one begins. `idOf` returns a UUID. */
export function firstRows<Element extends { readonly created_at: Timestamp }>(
  read: readonly Element[],
  limit: number,
  idOf: (element: Element, place: number) => string,
): Page<Element, Timestamp> {
  const data = read.slice(0, limit);
  const last = read.length > limit ? data.at(-1) : undefined;
  return { data, next: last ? { value: last.created_at, id: idOf(last, data.length - 1) } : null };
}
