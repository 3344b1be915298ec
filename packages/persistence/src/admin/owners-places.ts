import { hash } from 'node:crypto';
import type { Owner, Page, Position, Timestamp } from '@orders/domain';
import { isTimePosition, type ListedOrder } from '@orders/domain/operators';

/** Where a page begins: behind an owner, or within the owners up to `end` behind a position. Owners are digests. */
export interface Place {
  readonly start: string;
  readonly end: string;
  readonly at: Position<Timestamp> | null;
}

/**
 * Returns the newest orders of pages, up to the position behind which a page may have more; `null` at the end of all of them.
 * Orders with the same time and id, as copies of a shop have, stay together.
 */
export function newestOf(pages: readonly Page<ListedOrder, Timestamp>[], limit: number) {
  const ends = pages.flatMap(({ next }) => next ?? []).toSorted(newestFirst);
  const [end] = ends;
  const known = pages
    .flatMap(({ data }) => data)
    .map((order) => ({ order, place: { value: order.created_at, id: order.id } }))
    .filter(({ place }) => end === undefined || newestFirst(place, end) <= 0)
    .toSorted((left, right) => newestFirst(left.place, right.place));
  const last = known[limit - 1];
  const shown = last ? known.filter(({ place }) => newestFirst(place, last.place) <= 0) : known;
  const isWhole = shown.length === known.length;
  return { data: shown.map(({ order }) => order), at: (isWhole ? end : last?.place) ?? null };
}

function newestFirst(left: Position<Timestamp>, right: Position<Timestamp>): number {
  const [one, other] = [`${left.value} ${left.id}`, `${right.value} ${right.id}`];
  return one === other ? 0 : one > other ? -1 : 1;
}

/** A position names no owner, which may be a person and would stand in a URL. */
export function digestOf(owner: Owner): string {
  return hash('sha256', owner, 'base64url').slice(0, 11);
}

export const FIRST: Place = { start: '', end: '', at: null };

export function positionOf({ start, end, at }: Place): Position<string> {
  return { value: [start, end, at?.value ?? ''].join(' '), id: at?.id ?? '' };
}

/** Returns the place of a position, which a client may have made up. */
export function placeOf({ value, id }: Position<string>): Place | undefined {
  const [start, end, time, ...others] = value.split(' ');
  if (start === undefined || end === undefined || time === undefined || others.length > 0) return undefined;
  if (time === '') return { start, end, at: null };
  return isTimePosition({ value: time, id }) ? { start, end, at: { value: time, id } } : undefined;
}
