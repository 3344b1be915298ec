import {
  type FilterInput,
  type ListFilter,
  type ListFilters,
  type PageQueryInput,
  scanningFilters,
  SORT_DEFAULT,
  type ValidationFailed,
} from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { ok, type Result } from 'neverthrow';
import type { Problem } from '../problems/problem.ts';
import { type CursorFingerprint, decodeCursor, type ValueType } from './cursor.ts';
import { readInteger, readQuery } from './request-parameters.ts';
import { RequestFaults } from './request-faults.ts';

/** The query parameters of every list. */
export const PAGE_PARAMETERS = ['limit', 'offset', 'after'] as const;

/** The parsed page parameters, and the scope of the cursors. The domain checks their ranges. */
export interface PageRequest<Type extends ValueType = ValueType> {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly after: ReturnType<typeof decodeCursor<Type>>;
  readonly fingerprint: CursorFingerprint<Type>;
}

/** A parsed list query. */
export interface ListRequest<Input> {
  readonly input: Input;
  readonly page: PageRequest;
}

/**
 * Parses the page parameters of a list. To which resource in the path a cursor belongs, the domain checks after it has looked
 * the resource up: here it would distinguish foreign resources from nonexistent ones.
 */
export function readPage<Type extends ValueType>(
  query: Partial<Record<(typeof PAGE_PARAMETERS)[number], string>>,
  fingerprint: CursorFingerprint<Type>,
  faults: RequestFaults,
): PageRequest<Type> {
  const limit = readInteger(query.limit, 'limit', faults);
  const offset = readInteger(query.offset, 'offset', faults);
  if (query.after !== undefined && query.offset !== undefined) {
    faults.add('conflicting_parameters', 'offset', 'invalid_value', 'cannot be combined with after');
  }
  return { limit, offset, after: readCursor(query.after, fingerprint, faults), fingerprint };
}

/** Parses a cursor, and adds a fault for one that {@link decodeCursor} rejects. */
export function readCursor<Type extends ValueType>(
  cursor: string | undefined,
  fingerprint: CursorFingerprint<Type>,
  faults: RequestFaults,
): ReturnType<typeof decodeCursor<Type>> {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(fingerprint, cursor);
  return (
    position ?? faults.add('invalid_cursor', 'after', 'invalid_value', 'must be a next_cursor of this list and query')
  );
}

/** A query of a list that has a sort order, before the domain parses it. */
type SortedInput<Filters extends ListFilters> = FilterInput<Filters> & PageQueryInput;

/**
 * Parses the query of a list that has a sort order and `filters`. `parse` is that of the domain. `supported` are the parameters
 * besides the filters. Default: those of every sorted list.
 */
export function readSortedList<Filters extends ListFilters>(
  request: FastifyRequest,
  list: string,
  filters: Filters,
  parse: (input: SortedInput<Filters>) => Result<object, ValidationFailed>,
  supported: readonly (keyof PageQueryInput)[] = [...PAGE_PARAMETERS, 'sort'],
): Result<ListRequest<SortedInput<Filters>>, Problem> {
  const faults = RequestFaults.of(request);
  const known = [...supported, ...Object.keys(filters)];
  const query = readQuery(request, known, faults, { sets: namesOf(filters, isSet), times: namesOf(filters, isTime) });
  const filter = filterInput(query, filters);
  const prefix = Object.keys(filters).find((name) => filters[name]?.value === 'prefix' && query[name] !== undefined);
  const sort = prefix === undefined ? (query['sort'] ?? SORT_DEFAULT) : 'reference';
  addConflicts(query, filters, sort, faults);
  const normal = Object.keys(filters).some((name) => query[name] !== undefined) ? parse(filter) : ok({});
  const fingerprint = {
    list,
    sort,
    filter: normal.isOk() ? normalized(normal.value, filters) : [],
    value: 'string',
  } as const;
  const page = readPage(query, fingerprint, faults);
  const { limit, offset, after } = page;
  const input = { ...filter, sort: query['sort'], limit, offset, after };
  return faults.toResult({ input, page }, () => parse(input));
}

/** The names of the filters of a kind. */
function namesOf(filters: ListFilters, isOfKind: (filter: ListFilter | undefined) => boolean): readonly string[] {
  return Object.keys(filters).filter((name) => isOfKind(filters[name]));
}

/** Whether the parameter of a filter may be repeated. */
function isSet(filter: ListFilter | undefined): boolean {
  return filter?.value === 'names' || filter?.value === 'uuids';
}

function isTime(filter: ListFilter | undefined): boolean {
  return filter?.value === 'time';
}

/** Returns the filters of a query for the domain. */
function filterInput<Filters extends ListFilters>(
  query: Readonly<Record<string, string | undefined>>,
  filters: Filters,
): FilterInput<Filters>;
function filterInput(query: Readonly<Record<string, string | undefined>>, filters: ListFilters): unknown {
  const valueOf = (name: string) => (isSet(filters[name]) ? query[name]?.split(',') : query[name]);
  return Object.fromEntries(Object.keys(filters).map((name) => [name, valueOf(name)]));
}

/** Adds the parameters of a query that its filters exclude. */
function addConflicts(
  query: Readonly<Record<string, string | undefined>>,
  filters: ListFilters,
  sort: string,
  faults: RequestFaults,
): void {
  for (const [name, { excludes = [] }] of Object.entries(filters))
    for (const other of query[name] === undefined ? [] : excludes)
      if (query[other] !== undefined)
        faults.add('conflicting_parameters', other, 'invalid_value', `cannot be combined with ${name}`);
  const given = Object.fromEntries(Object.keys(filters).map((name) => [name, query[name] ?? null]));
  const [scanning] = scanningFilters(filters, { ...given, sort });
  if (scanning === undefined || query['offset'] === undefined) return;
  const message = `cannot be combined with ${scanning} in this order`;
  faults.add('conflicting_parameters', 'offset', 'invalid_value', message);
}

/** Returns the filters of a parsed query in the one spelling that belongs to a cursor. A further filter changes no cursor. */
function normalized(parsed: object, filters: ListFilters): readonly unknown[] {
  return Object.entries(parsed)
    .filter(([name, value]) => name in filters && value !== null)
    .map(([name, value]: [string, unknown]) => [
      name,
      Array.isArray(value) && isSet(filters[name]) ? value.map(String).toSorted() : value,
    ]);
}

/** A position that no list has. */
const NOWHERE = { value: '', id: '' };

/** Returns the body of a search with the position of its cursor; the domain rejects that of an invalid one. */
export function withPosition(body: unknown, fingerprint: CursorFingerprint): unknown {
  if (typeof body !== 'object' || body === null || !('after' in body)) return body;
  const { after } = body;
  return { ...body, after: (typeof after === 'string' && decodeCursor(fingerprint, after)) || NOWHERE };
}
