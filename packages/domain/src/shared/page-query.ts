import { err, ok, type Result } from 'neverthrow';
import { isTimestamp, type Timestamp } from './clock.ts';
import { frozen } from './frozen.ts';
import { isUuid } from './ids.ts';
import { InvalidFields, type ValidationFailed } from './validation.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, PAGE_OFFSET_MAX, type Position } from './page.ts';

/** How a list is sorted: by creation or last change, `-` for the newest first. */
export const SORTS = frozen(['created_at', '-created_at', 'updated_at', '-updated_at'] as const);
/** An order of a list; a leading minus means the newest first. */
export type Sort = (typeof SORTS)[number];
/** The order of a list that does not ask for one. */
export const SORT_DEFAULT: Sort = '-created_at';

/** A judged query for a page. */
export interface PageQuery {
  readonly sort: Sort;
  /** 1 to {@link PAGE_LIMIT_MAX}. */
  readonly limit: number;
  /** 0 to {@link PAGE_OFFSET_MAX}. */
  readonly offset: number;
  /** Begin behind this position. */
  readonly after: Position<Timestamp> | null;
}

/** A query as a caller asks it: everything optional, nothing judged yet. `offset` and `after` exclude each other. */
export interface PageQueryInput {
  readonly sort?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly after?: Position<Timestamp> | undefined;
}

/** Judges a query that asks for a page and nothing else, naming every bad part of it. */
export function parsePageQuery(input: PageQueryInput): Result<PageQuery, ValidationFailed> {
  const invalid = new InvalidFields();
  const query = readPageQuery(input, invalid);
  return invalid.failure ? err(invalid.failure) : ok(query);
}

/** Judges what every list is asked by. */
export function readPageQuery(input: PageQueryInput, invalid: InvalidFields): PageQuery {
  const { limit = PAGE_LIMIT_DEFAULT, offset = 0, after = null } = input;
  const sort = readSort(input.sort, invalid);
  invalid.integer(limit, 'limit', 1, PAGE_LIMIT_MAX);
  invalid.integer(offset, 'offset', 0, PAGE_OFFSET_MAX);
  if (after !== null && !(isTimestamp(after.value) && isUuid(after.id))) {
    invalid.add('after', 'invalid_value', 'must be a position that a page ended at');
  }
  if (after !== null && input.offset !== undefined) {
    invalid.add('offset', 'invalid_value', 'cannot be combined with after');
  }
  return { sort, limit, offset, after };
}

function readSort(input: string | undefined, invalid: InvalidFields): Sort {
  const sort = input === undefined ? SORT_DEFAULT : SORTS.find((known) => known === input);
  if (sort !== undefined) return sort;
  invalid.add('sort', 'invalid_value', `must be one of ${SORTS.join(', ')}`);
  return SORT_DEFAULT;
}
