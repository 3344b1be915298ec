import type { Page, Position } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { OwnerIterationError } from './errors.ts';

/** One page of a list of an owner. */
export interface OwnerPage<T> {
  readonly data: readonly T[];
  /** Cursor of the next page, for `after`; `null` on the last page. */
  readonly next_cursor: string | null;
}

/** Where a page starts. `after` and `offset` exclude each other. */
export interface OwnerPageQuery {
  /** Maximum number of elements of a page, 1 to 100. Default: 20. */
  readonly limit?: number | undefined;
  /** The page starts after this cursor, the `next_cursor` of an earlier one. */
  readonly after?: string | undefined;
  /** Number of elements to skip, 0 to 10,000. */
  readonly offset?: number | undefined;
}

/** A list of an owner, which `for await` reads to its end. Nothing is read before. */
export interface OwnerListing<T, E> extends AsyncIterable<T> {
  /** Reads one page. */
  readonly page: () => ResultAsync<OwnerPage<T>, E>;
  /** Reads the pages one after the other, up to the last one; throws {@link RequestFailed} when one cannot be read. */
  readonly pages: () => AsyncIterable<OwnerPage<T>>;
}

/** Thrown by an iteration over a list or a feed, because `for await` has no place for an error value. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  readonly error: OwnerIterationError;

  constructor(error: OwnerIterationError) {
    super(`the iteration ended by ${error.type}`);
    this.error = error;
  }
}

/** Makes a list of a function that reads one page. */
export function listingOf<T, E extends OwnerIterationError, Query extends OwnerPageQuery>(
  read: (query: Query) => ResultAsync<OwnerPage<T>, E>,
  query: Query,
): OwnerListing<T, E> {
  async function* pages(): AsyncGenerator<OwnerPage<T>, void, undefined> {
    let next: Query | null = query;
    while (next !== null) {
      const page: Awaited<ReturnType<typeof read>> = await read(next);
      if (page.isErr()) throw new RequestFailed(page.error);
      yield page.value;
      const after = page.value.next_cursor;
      next = after === null ? null : { ...withoutOffset(query), after };
    }
  }
  async function* elements(): AsyncGenerator<T, void, undefined> {
    for await (const { data } of pages()) yield* data;
  }
  return { page: () => read(query), pages, [Symbol.asyncIterator]: elements };
}

/** Returns a query of the pages after the first, to which the offset does not apply. */
function withoutOffset<Query extends OwnerPageQuery>(query: Query): Query;
function withoutOffset({ offset: _offset, ...rest }: OwnerPageQuery): OwnerPageQuery {
  return rest;
}

/** Returns a page of the domain with its elements as the API has them, and its position as a cursor. */
export function toOwnerPage<From, To>(
  { data, next }: Page<From, string | number>,
  present: (element: From) => To,
): OwnerPage<To> {
  return { data: data.map(present), next_cursor: next && encodePosition(next) };
}

/** Returns a position as text. */
export function encodePosition({ value, id }: Position<string | number>): string {
  return `${value}~${id}`;
}

/** Returns the position of a cursor. Of other text it makes one that every query rejects. */
export function decodeText(cursor: string | undefined): Position<string> | undefined {
  if (cursor === undefined) return undefined;
  const [, value = '', id = ''] = /^([^~]+)~([^~]+)$/.exec(cursor) ?? [];
  return { value, id };
}

/** Returns the position of a cursor of a list whose positions are numbers. */
export function decodeNumber(cursor: string | undefined): Position<number> | undefined {
  const position = decodeText(cursor);
  // The number of an empty text would be 0.
  return position && { value: position.value === '' ? Number.NaN : Number(position.value), id: position.id };
}
