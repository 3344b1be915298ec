import { type InvalidFields, readSet } from './validation.ts';

/** A filter by a UUID. */
interface UuidFilter {
  readonly value: 'uuid';
  readonly operator: '=';
}

/** A filter by a text of 1 to `max` Unicode code points. */
interface TextFilter {
  readonly value: 'text';
  readonly operator: '=';
  readonly max: number;
}

/** A filter by one or more of `names`, whose order and repetition mean nothing. */
interface NamesFilter {
  readonly value: 'names';
  readonly operator: 'in';
  readonly names: readonly string[];
}

/**
 * One filter of a list, as data. What parses, documents and applies it derives from this; a store may know more of its indexes.
 *
 * @typeParam Field - the members of the list's elements
 */
export type ListFilter<Field extends string = string> = (UuidFilter | TextFilter | NamesFilter) & {
  /** The member of an element that `operator` compares with the value. */
  readonly of: Field;
  /** What it selects. */
  readonly description: string;
};

/** The filters of a list, by their names in queries. */
export type ListFilters<Field extends string = string> = Readonly<Record<string, ListFilter<Field>>>;

/** What a filter compares with: the names in the order in which the filter has them, or a text, or an id in lower case. */
type FilterValue<Filter> = Filter extends { readonly names: readonly (infer Name)[] } ? readonly Name[] : string;

/** The values of all filters of a list. An element must match each; `null` accepts every element. */
export type FilterValues<Filters> = { readonly [Name in keyof Filters]: FilterValue<Filters[Name]> | null };

/** The unvalidated values of filters. Every member is optional. */
export type FilterInput<Filters> = {
  readonly [Name in keyof Filters]?:
    | (Filters[Name] extends { readonly value: 'names' } ? readonly string[] : string)
    | undefined;
};

/** Reads the values of filters and reports invalid ones. */
export function readFilters<Filters extends ListFilters>(
  filters: Filters,
  input: FilterInput<Filters>,
  invalid: InvalidFields,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name in filters) {
    const given = input[name];
    const filter: ListFilter | undefined = filters[name];
    if (given === undefined || filter === undefined) values[name] = null;
    else if (filter.value === 'uuid') values[name] = invalid.readUuid(given, name);
    else if (filter.value === 'text') values[name] = invalid.readText(given, name, 1, filter.max);
    else values[name] = readSet(given, name, filter.names, 1, invalid);
  }
  return values;
}
