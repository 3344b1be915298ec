import type { Page as DomainPage, Position } from '@orders/domain';
import type { Page } from '../schemas.ts';

/** Returns a page of the domain with its elements as the client has them, and its position as a cursor. */
export function toPage<From, To>(
  { data, next }: DomainPage<From, string | number>,
  present: (element: From) => To,
): Page<To> {
  return { data: data.map(present), next_cursor: next && encodePosition(next) };
}

/** Returns a position as text. */
export function encodePosition({ value, id }: Position<string | number>): string {
  return `${value}~${id}`;
}

/** Returns the position of a cursor. Of other text it makes one that every query rejects. */
export function decodeText(cursor: string | undefined): Position<string> | undefined {
  if (cursor === undefined) return undefined;
  // A value may contain the separator, as references do.
  const [, value = '', id = ''] = /^(.+)~([^~]+)$/s.exec(cursor) ?? [];
  return { value, id };
}

/** Returns the position of a cursor of a list whose positions are numbers. */
export function decodeNumber(cursor: string | undefined): Position<number> | undefined {
  const position = decodeText(cursor);
  // The number of an empty text would be 0.
  return position && { value: position.value === '' ? Number.NaN : Number(position.value), id: position.id };
}
