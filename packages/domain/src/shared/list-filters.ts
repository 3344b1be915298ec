import { deepFreeze } from './frozen.ts';
import { isEqualJson } from './json-values.ts';
import { type InvalidFields, isLongerThan, readArray, readSet } from './validation.ts';

/** A filter by a UUID. */
interface UuidFilter {
  readonly value: 'uuid';
  readonly operator: '=';
}

/** A filter by 1 to `max` UUIDs, whose order and repetition mean nothing. Unknown ones select nothing. */
interface UuidsFilter {
  readonly value: 'uuids';
  readonly operator: 'in';
  readonly max: number;
}

/** A filter by a text of 1 to `max` Unicode code points. */
interface TextFilter {
  readonly value: 'text';
  readonly operator: '=';
  readonly max: number;
}

/** A filter by the first `min` to `max` Unicode code points of a text. The list is sorted by that text. */
interface PrefixFilter {
  readonly value: 'prefix';
  readonly operator: 'starts with';
  readonly min: number;
  readonly max: number;
}

/** One end of a range of time: from a time on, or before one, which is after that of the filter `from`. */
interface TimeFilter {
  readonly value: 'time';
  readonly operator: '>=' | '<';
  readonly from?: string;
}

/** A filter by one or more of `names`, whose order and repetition mean nothing. */
interface NamesFilter {
  readonly value: 'names';
  readonly operator: 'in';
  readonly names: readonly string[];
}

/** What an element is found by, exactly. */
export type Lookup = readonly [name: string, value: string];

/**
 * A filter by one of the lookups of an element, as `NAME:VALUE` with a value of 1 to `max` Unicode code points; NAME ends at the
 * first colon. The list is sorted by creation, newest first.
 */
interface LookupFilter {
  readonly value: 'lookup';
  readonly operator: 'has';
  /** The form of names, as the source of a regular expression. */
  readonly name: string;
  readonly max: number;
}

/** One end of a range of integers from 0 on, both inclusive; the upper one is not below that of the filter `from`. */
interface IntegerFilter {
  readonly value: 'integer';
  readonly operator: '>=' | '<=';
  readonly from?: string;
}

/**
 * One filter of a list, as data. What parses, documents and applies it derives from this; a store may know more of its indexes.
 *
 * @typeParam Field - the members of the list's elements
 */
export type ListFilter<Field extends string = string> = (
  | UuidFilter
  | UuidsFilter
  | TextFilter
  | PrefixFilter
  | TimeFilter
  | NamesFilter
  | LookupFilter
  | IntegerFilter
) & {
  /** The member of an element that `operator` compares with the value. */
  readonly of: Field;
  /** What it selects. */
  readonly description: string;
  /** The members of a query that cannot be combined with it. Default: none. */
  readonly excludes?: readonly string[];
  /** The members of a query without which it means nothing. Default: none. */
  readonly needs?: readonly string[];
  /** Whether no index has its member, so that it selects among the elements that others select. Default: false. */
  readonly isScanning?: true;
};

/** The filters of a list, by their names in queries. */
export type ListFilters<Field extends string = string> = Readonly<Record<string, ListFilter<Field>>>;

/** What a filter compares with: names in the order in which the filter has them, a text, a time, a lookup, or ids in lower case. */
type FilterValue<Filter> = Filter extends { readonly names: readonly (infer Name)[] }
  ? readonly Name[]
  : Filter extends { readonly value: 'uuids' }
    ? readonly string[]
    : Filter extends { readonly value: 'lookup' }
      ? Lookup
      : Filter extends { readonly value: 'integer' }
        ? number
        : string;

/** The values of all filters of a list. An element must match each; `null` accepts every element. */
export type FilterValues<Filters> = { readonly [Name in keyof Filters]: FilterValue<Filters[Name]> | null };

/** The unvalidated values of filters. Every member is optional. */
export type FilterInput<Filters> = {
  readonly [Name in keyof Filters]?:
    | (Filters[Name] extends { readonly value: 'names' | 'uuids' }
        ? readonly string[]
        : Filters[Name] extends { readonly value: 'integer' }
          ? string | number
          : string)
    | undefined;
};

/** Maximum number of ids of a filter. */
export const FILTER_IDS_MAX = 100;

/**
 * Maximum number of elements that one page looks at when a filter is among {@link scanningFilters}. The page may then be
 * empty, although others follow.
 */
export const SCANNED_ELEMENTS_MAX = 10_000;

/** Returns the filters that every list of `elements` with times has. */
export function commonFilters<const Elements extends string>(elements: Elements) {
  const range = <const Of extends 'created_at' | 'updated_at'>(of: Of, verb: string) => ({
    from: { value: 'time', operator: '>=', of, description: `${elements} ${verb} at this time or later` } as const,
    before: {
      value: 'time',
      operator: '<',
      of,
      from: `${of}_from`,
      description: `${elements} ${verb} before this time`,
    } as const,
  });
  const created = range('created_at', 'created');
  const updated = range('updated_at', 'last changed');
  return deepFreeze({
    ids: {
      value: 'uuids',
      operator: 'in',
      of: 'id',
      max: FILTER_IDS_MAX,
      excludes: ['offset', 'sort'],
      description: `${elements} with one of these ids. Unknown ids are left out`,
    },
    created_at_from: created.from,
    created_at_before: created.before,
    updated_at_from: updated.from,
    updated_at_before: updated.before,
  } as const satisfies ListFilters);
}

/** Reads the values of filters, at `path`, and reports invalid ones, and members that cannot be combined with them. */
export function readFilters(
  filters: ListFilters,
  input: object,
  invalid: InvalidFields,
  path = '',
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const valueOf = (name: string): unknown => Reflect.get(input, name);
  for (const [name, filter] of Object.entries(filters)) {
    const given = valueOf(name);
    if (given === undefined) {
      values[name] = null;
      continue;
    }
    values[name] = readValue(filter, given, path + name, invalid);
    for (const other of filter.excludes ?? [])
      if (valueOf(other) !== undefined) invalid.add(path + other, 'invalid_value', `cannot be combined with ${name}`);
    for (const other of filter.needs ?? [])
      if (valueOf(other) === undefined) invalid.add(path + other, 'required', `is required beside ${name}`);
    if (!('from' in filter)) continue;
    const [from, value] = [values[filter.from ?? ''], values[name]];
    if (typeof from === 'number' && typeof value === 'number' && value < from)
      invalid.add(path + name, 'invalid_value', `must not be less than ${filter.from}`);
    if (typeof from === 'string' && typeof value === 'string' && value <= from)
      invalid.add(path + name, 'invalid_value', `must be after ${filter.from}`);
  }
  return values;
}

function readValue(filter: ListFilter, given: unknown, name: string, invalid: InvalidFields): unknown {
  switch (filter.value) {
    case 'uuid':
      return invalid.readUuid(given, name);
    case 'uuids': {
      const ids = readArray(given, name, 1, filter.max, 'id', invalid, (id, path) => invalid.readUuid(id, path));
      return ids && [...new Set(ids)];
    }
    case 'text':
      return invalid.readText(given, name, 1, filter.max);
    case 'prefix':
      return invalid.readText(given, name, filter.min, filter.max);
    case 'time':
      return invalid.readTimestamp(given, name);
    case 'names':
      return readSet(given, name, filter.names, 1, invalid);
    case 'lookup':
      return readLookup(filter, given, name, invalid);
    case 'integer': {
      const number = typeof given === 'string' && /^(?:0|[1-9]\d*)$/.test(given) ? Number(given) : given;
      return invalid.readInteger(number, name, 0, Number.MAX_SAFE_INTEGER);
    }
  }
}

function readLookup({ name: form, max }: LookupFilter, given: unknown, name: string, invalid: InvalidFields): unknown {
  const text = typeof given === 'string' ? invalid.readStorableText(given, name) : '';
  if (text === undefined) return undefined;
  const end = text.indexOf(':');
  const [key, value] = [text.slice(0, Math.max(end, 0)), text.slice(end + 1)];
  if (new RegExp(`^(?:${form})$`).test(key) && value !== '' && !isLongerThan(value, max)) return [key, value];
  const rule = `must be NAME:VALUE, with a name that matches ${form} and a value of 1 to ${max} characters`;
  return invalid.add(name, 'invalid_format', rule);
}

/**
 * Returns the names of the given filters that no order of the list helps: those of members without an index, ranges of another time than the sorted one,
 * beside a lookup every filter but a range of the creation, and beside the first characters of a reference every one but those by reference and id.
 */
export function scanningFilters(
  filters: ListFilters,
  query: { readonly sort: string; readonly [name: string]: unknown },
): readonly string[] {
  const isFound = Object.entries(filters).some(([name, { value }]) => value === 'lookup' && query[name] !== null);
  const isScanning = ([name, { value, of, isScanning: isAlways }]: readonly [string, ListFilter]) => {
    if (query[name] === null || value === 'uuids' || value === 'lookup') return false;
    if (isAlways) return true;
    if (query.sort === 'reference') return of !== 'reference';
    return value === 'time' ? !query.sort.endsWith(of) : isFound;
  };
  return Object.entries(filters)
    .filter(isScanning)
    .map(([name]) => name);
}

/** Checks whether a member of an element matches the value of a filter. */
export function matchesFilter({ operator }: ListFilter, member: unknown, value: unknown): boolean {
  if (operator === 'in') return Array.isArray(value) && value.includes(member);
  if (operator === 'has') return Array.isArray(member) && member.some((one) => isEqualJson(one, value));
  if (operator === '=') return member === value;
  if (typeof member === 'number' && typeof value === 'number')
    return operator === '<=' ? member <= value : member >= value;
  if (typeof member !== 'string' || typeof value !== 'string') return false;
  if (operator === 'starts with') return member.startsWith(value);
  return operator === '<' ? member < value : member >= value;
}
