import {
  type FilterInput,
  type ListFilter,
  type ListFilters,
  type PageQueryInput,
  SORT_DEFAULT,
  type ValidationFailed,
} from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import type { Problem } from '../problems/problem.ts';
import { type CursorPosition, type CursorFingerprint, decodeCursor } from './cursor.ts';
import { readInteger, readQuery } from './request-parameters.ts';
import { RequestFaults } from './request-faults.ts';

/** The query parameters of every list. */
export const PAGE_PARAMETERS = ['limit', 'offset', 'after'] as const;

/** The parsed page parameters. The domain checks their ranges. */
export interface PageRequest {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly after: CursorPosition | undefined;
}

/** A parsed list query, and the scope of its cursors. */
export interface ListRequest<Input> {
  readonly input: Input;
  readonly fingerprint: CursorFingerprint;
  readonly page: PageRequest;
}

export function readPage(
  query: Partial<Record<(typeof PAGE_PARAMETERS)[number], string>>,
  fingerprint: CursorFingerprint,
  faults: RequestFaults,
): PageRequest {
  const limit = readInteger(query.limit, 'limit', faults);
  const offset = readInteger(query.offset, 'offset', faults);
  if (query.after !== undefined && query.offset !== undefined) {
    faults.add('conflicting_parameters', 'offset', 'invalid_value', 'cannot be combined with after');
  }
  return { limit, offset, after: readCursor(query.after, fingerprint, faults) };
}

function readCursor(
  cursor: string | undefined,
  fingerprint: CursorFingerprint,
  faults: RequestFaults,
): CursorPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(fingerprint, cursor);
  return (
    position ?? faults.add('invalid_cursor', 'after', 'invalid_value', 'must be a next_cursor of this list and query')
  );
}

/** A query of a list that has a sort order, before the domain parses it. */
type SortedInput<Filters extends ListFilters> = FilterInput<Filters> & PageQueryInput;

/** Parses the query of a list that has a sort order and `filters`. `parse` is that of the domain. */
export function readSortedList<Filters extends ListFilters>(
  request: FastifyRequest,
  list: string,
  filters: Filters,
  parse: (input: SortedInput<Filters>) => Result<unknown, ValidationFailed>,
): Result<ListRequest<SortedInput<Filters>>, Problem> {
  const faults = RequestFaults.of(request);
  const known = [...PAGE_PARAMETERS, 'sort', ...Object.keys(filters)];
  const { sort, ...rest } = readQuery(request, known, faults, setsOf(filters));
  const filter = filtersOf(rest, filters);
  const fingerprint = { list, sort: sort ?? SORT_DEFAULT, filter: filter.normal };
  const page = readPage(rest, fingerprint, faults);
  const after = page.after && { value: `${page.after.value}`, id: page.after.id };
  const { limit, offset } = page;
  const input = { ...filter.input, sort, limit, offset, after };
  return faults.toResult({ input, fingerprint, page }, () => parse(input));
}

/** The names of the filters that are sets: their parameters may be repeated. */
function setsOf(filters: ListFilters): readonly string[] {
  return Object.keys(filters).filter((name) => filters[name]?.value === 'names');
}

/** Returns the filters that a query has, for the domain, and in the one spelling that belongs to a cursor. */
function filtersOf<Filters extends ListFilters>(
  query: Readonly<Record<string, string | undefined>>,
  filters: Filters,
): { readonly input: FilterInput<Filters>; readonly normal: readonly (string | null)[] };
function filtersOf(query: Readonly<Record<string, string | undefined>>, filters: ListFilters): unknown {
  const given = Object.entries(filters).map(([name, filter]) => {
    const text = query[name];
    return { name, filter, value: filter.value === 'names' ? text?.split(',') : text };
  });
  return {
    input: Object.fromEntries(given.map(({ name, value }) => [name, value])),
    normal: given.map(({ filter, value }) => (value === undefined ? null : normalized(filter, value))),
  };
}

/** Returns a value in one spelling. It may be invalid, which the domain finds. */
function normalized(filter: ListFilter, value: string | readonly string[]): string {
  if (typeof value === 'string') return filter.value === 'uuid' ? value.toLowerCase() : value;
  return filter.value === 'names' ? filter.names.filter((name) => value.includes(name)).join(',') : '';
}
