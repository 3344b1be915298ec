import { err, ok, type Result } from 'neverthrow';
import { isTimestamp, type Timestamp } from './clock.ts';
import { deepFreeze } from './frozen.ts';
import { isUuid } from './ids.ts';
import { type FilterInput, type FilterValues, type ListFilters, readFilters, scanningFilters } from './list-filters.ts';
import { invalidField, InvalidFields, type ValidationFailed } from './validation.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, PAGE_OFFSET_MAX, type Position } from './page.ts';

/** The supported sort orders of a list: by creation or last change; a leading minus means newest first. */
export const SORTS = deepFreeze(['created_at', '-created_at', 'updated_at', '-updated_at'] as const);
/** A sort order of a list, one of {@link SORTS}. */
export type Sort = (typeof SORTS)[number];
/** Default sort order of a list: newest first, by creation. */
export const SORT_DEFAULT: Sort = '-created_at';

/** A validated query for a page. */
export interface PageQuery {
  /** `reference` with a filter by its first characters alone, ascending by code points. */
  readonly sort: Sort | 'reference';
  /** 1 to {@link PAGE_LIMIT_MAX}. */
  readonly limit: number;
  /** 0 to {@link PAGE_OFFSET_MAX}; 0 with `after`. */
  readonly offset: number;
  /** The page starts after this position. */
  readonly after: Position<Timestamp> | null;
}

/** Unvalidated position and size of a page. `offset` and `after` exclude each other. */
export interface PageWindowInput<Value> {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** The page starts after this position. */
  readonly after?: Position<Value> | undefined;
}

/** An unvalidated query for a page. Every member is optional. */
export interface PageQueryInput extends PageWindowInput<Timestamp> {
  readonly sort?: string | undefined;
}

/** The members of {@link PageWindowInput}. */
export const PAGE_WINDOW = ['limit', 'offset', 'after'] as const;
/** The members of {@link PageQueryInput}. */
const PAGE_QUERY = [...PAGE_WINDOW, 'sort'] as const;

/** Parses a query for a page of a list without filters and reports every invalid member. */
export function parsePageQuery(input: PageQueryInput): Result<PageQuery, ValidationFailed> {
  return parseFilteredQuery(input, {});
}

/** Reads the members that every query of a sorted list has. A list that is sorted by reference has no `sort`. */
function readPageQuery(input: PageQueryInput, invalid: InvalidFields, byReference = false): PageQuery {
  const { sort: given = SORT_DEFAULT } = input;
  const sort = byReference ? 'reference' : (invalid.readOneOf(given, 'sort', SORTS) ?? SORT_DEFAULT);
  const isPosition = byReference ? isReferencePosition : isTimePosition;
  return { sort, ...readPageWindow(input, isPosition, invalid) };
}

/** Checks whether a position, which a client may have made up, has values that a store can compare. */
export function isTimePosition({ value, id }: Position<Timestamp>): boolean {
  return isTimestamp(value) && isUuid(id);
}

function isReferencePosition({ value, id }: Position<Timestamp>): boolean {
  return typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed() && isUuid(id);
}

/**
 * Parses a query for a page of a list with `filters` and reports every invalid member. One among
 * {@link scanningFilters} excludes an offset: what it skips is not counted.
 */
export function parseFilteredQuery<Filters extends ListFilters>(
  input: PageQueryInput & FilterInput<Filters>,
  filters: Filters,
): Result<PageQuery & FilterValues<Filters>, ValidationFailed>;
export function parseFilteredQuery(
  input: PageQueryInput & FilterInput<ListFilters>,
  filters: ListFilters,
): Result<unknown, ValidationFailed> {
  const invalid = new InvalidFields();
  const query: PageQueryInput & FilterInput<ListFilters> = invalid.readObject(input, [
    ...PAGE_QUERY,
    ...Object.keys(filters),
  ]);
  const byReference = Object.entries(filters).some(
    ([name, { value }]) => value === 'prefix' && query[name] !== undefined,
  );
  const page = readPageQuery(query, invalid, byReference);
  const values = readFilters(filters, query, invalid);
  const [scanning] = scanningFilters(filters, { ...values, sort: page.sort });
  if (scanning !== undefined && query.offset !== undefined)
    invalid.add('offset', 'invalid_value', `cannot be combined with ${scanning} in this order`);
  return invalid.toResult({ ...page, ...values });
}

/** Reads position and size of a page; `isPosition` validates the form of `after`. */
export function readPageWindow<Value>(
  input: PageWindowInput<Value>,
  isPosition: (position: Position<Value>) => boolean,
  invalid: InvalidFields,
): { readonly limit: number; readonly offset: number; readonly after: Position<Value> | null } {
  const { limit = PAGE_LIMIT_DEFAULT, offset = 0, after = null } = input;
  invalid.readInteger(limit, 'limit', 1, PAGE_LIMIT_MAX);
  invalid.readInteger(offset, 'offset', 0, PAGE_OFFSET_MAX);
  if (after !== null && !isPosition(after)) {
    invalid.add('after', 'invalid_value', 'must be the end position of a page');
  }
  if (after !== null && input.offset !== undefined) {
    invalid.add('offset', 'invalid_value', 'cannot be combined with after');
  }
  // Ids are stored in lower case.
  return { limit, offset, after: after && { value: after.value, id: String(after.id).toLowerCase() } };
}

/** The error for a position of another resource. */
export const UNKNOWN_POSITION = deepFreeze(invalidField('after', 'invalid_value', 'must be a position in this list'));

/**
 * Checks a position in a list of what belongs to the resource `id`: its id is that of the resource. To be called after the
 * lookup of the resource, so that a foreign one has the same response as a nonexistent one.
 */
export function checkPosition(after: Position<unknown> | null, id: string): Result<null, ValidationFailed> {
  return after === null || after.id === id ? ok(null) : err(UNKNOWN_POSITION);
}
