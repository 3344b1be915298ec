import type { ResultAsync } from 'neverthrow';
import { uncheckedCast } from './calls/unchecked-cast.ts';
import type { ListDeliveriesError, ListOfOrderError, ReadEventsError } from './errors.ts';
import type { AbortSignalLike, RequestOptions } from './options.ts';
import type { Page } from './schemas.ts';

/** The errors that end an iteration. */
export type IterationError = ListOfOrderError | ListDeliveriesError | ReadEventsError;

/** Thrown by an iteration over a list or a feed, because `for await` has no place for an error value. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  readonly error: IterationError;

  constructor(error: IterationError) {
    super(`the iteration ended by ${error.type}`);
    this.error = error;
  }
}

/** Where a page starts. `after` and `offset` exclude each other. */
export interface PageQuery {
  /** Maximum number of elements of a page, 1 to 100. Default: 20. */
  readonly limit?: number | undefined;
  /** The page starts after this cursor, the `next_cursor` of an earlier one. */
  readonly after?: string | undefined;
  /** Number of elements to skip, 0 to 10,000. */
  readonly offset?: number | undefined;
}

/** Sort order of a list: by time, ascending, or descending with `-`. */
export type Sort = 'created_at' | '-created_at' | 'updated_at' | '-updated_at';

/** A query for a list of webhook endpoints. */
export interface SortedQuery extends PageQuery, RequestOptions {
  /** Default: newest first, by creation. */
  readonly sort?: Sort | undefined;
}

/** Members that select by time. Times are RFC 3339 with an offset, such as `2026-01-31T00:00:00+01:00`. */
interface Ranges {
  /** Created at this time or later. */
  readonly created_at_from?: string | undefined;
  /** Created before this time. */
  readonly created_at_before?: string | undefined;
  /** Last changed at this time or later. */
  readonly updated_at_from?: string | undefined;
  /** Last changed before this time. */
  readonly updated_at_before?: string | undefined;
}

/** A query for a list with filters. `ids` exclude `offset` and `sort`. */
export type FilteredQuery = Ranges &
  (
    | (SortedQuery & { readonly ids?: undefined })
    | (Omit<SortedQuery, 'offset' | 'sort'> & {
        /** 1 to 100 ids. Unknown ones are left out. */
        readonly ids?: readonly string[] | undefined;
        readonly offset?: undefined;
        readonly sort?: undefined;
      })
  );

/** A list, which `for await` reads to its end. Nothing is read before. */
export interface Listing<T, E> extends AsyncIterable<T> {
  /**
   * Reads one page.
   *
   * @example
   * const page = await orders.list({ limit: 50 }).page();
   */
  readonly page: () => ResultAsync<Page<T>, E>;
  /**
   * Reads the pages one after the other, up to the last one; throws {@link RequestFailed} when one cannot be read.
   *
   * @example
   * for await (const { data } of orders.list().pages()) console.log(data.length);
   */
  readonly pages: () => AsyncIterable<Page<T>>;
}

/** Makes a list of a function that reads one page. */
export function listing<T, E, Query extends PageQuery>(
  read: (query: Query) => ResultAsync<Page<T>, E>,
  query: Query,
): Listing<T, E> {
  async function* pages(): AsyncGenerator<Page<T>, void, undefined> {
    let next: Query | null = query;
    while (next !== null) {
      const page: Awaited<ReturnType<typeof read>> = await read(next);
      if (page.isErr()) throw new RequestFailed(uncheckedCast<IterationError>(page.error));
      yield page.value;
      const after = page.value.next_cursor;
      next = after === null ? null : { ...withoutOffset(query), after };
    }
  }
  return { page: () => read(query), pages, [Symbol.asyncIterator]: () => elementsOf(pages()) };
}

/** Returns a query of the pages after the first, to which the offset does not apply. */
function withoutOffset<Query extends PageQuery>(query: Query): Query;
function withoutOffset({ offset: _offset, ...rest }: PageQuery): PageQuery {
  return rest;
}

/** Returns the elements of pages, up to the one at which `signal` is aborted. */
export async function* elementsOf<T>(
  pages: AsyncIterable<{ readonly data: readonly T[] }>,
  signal?: AbortSignalLike,
): AsyncGenerator<T, void, undefined> {
  for await (const { data } of pages) {
    for (const element of data) {
      if (signal?.aborted === true) return;
      yield element;
    }
  }
}
