import type { Result } from 'neverthrow';
import { isTimestamp, type Timestamp } from './clock.ts';
import { deepFreeze } from './frozen.ts';
import { isUuid } from './ids.ts';
import { type InvalidFields, parse, type ValidationFailed } from './validation.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, PAGE_OFFSET_MAX, type Position } from './page.ts';

/** How a list is sorted: by creation or last change, `-` for the newest first. */
export const SORTS = deepFreeze(['created_at', '-created_at', 'updated_at', '-updated_at'] as const);
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

/** Which part of a list a caller wants, not yet validated. `offset` and `after` exclude each other. */
export interface PageWindowInput<Value> {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Begin behind this position. */
  readonly after?: Position<Value> | undefined;
}

/** A query as a caller asks it: everything optional, nothing validated yet. */
export interface PageQueryInput extends PageWindowInput<Timestamp> {
  readonly sort?: string | undefined;
}

/** Parses a query for a page and nothing else, reporting every invalid part of it. */
export function parsePageQuery(input: PageQueryInput): Result<PageQuery, ValidationFailed> {
  return parse((invalid) => readPageQuery(input, invalid));
}

/** Reads what every sorted list is queried by. */
export function readPageQuery(input: PageQueryInput, invalid: InvalidFields): PageQuery {
  const sort = readSort(input.sort, invalid);
  return { sort, ...readPageWindow(input, ({ value, id }) => isTimestamp(value) && isUuid(id), invalid) };
}

/** Reads which part of a list a caller wants. */
export function readPageWindow<Value>(
  input: PageWindowInput<Value>,
  isPosition: (position: Position<Value>) => boolean,
  invalid: InvalidFields,
): { readonly limit: number; readonly offset: number; readonly after: Position<Value> | null } {
  const { limit = PAGE_LIMIT_DEFAULT, offset = 0, after = null } = input;
  invalid.readInteger(limit, 'limit', 1, PAGE_LIMIT_MAX);
  invalid.readInteger(offset, 'offset', 0, PAGE_OFFSET_MAX);
  if (after !== null && !isPosition(after)) {
    invalid.add('after', 'invalid_value', 'must be a position that a page ended at');
  }
  if (after !== null && input.offset !== undefined) {
    invalid.add('offset', 'invalid_value', 'cannot be combined with after');
  }
  return { limit, offset, after };
}

function readSort(input: string | undefined, invalid: InvalidFields): Sort {
  const sort = input === undefined ? SORT_DEFAULT : SORTS.find((known) => known === input);
  if (sort !== undefined) return sort;
  invalid.add('sort', 'invalid_value', `must be one of ${SORTS.join(', ')}`);
  return SORT_DEFAULT;
}
