import {
  type FilterValues,
  type ListFilter,
  type ListFilters,
  type Owner,
  PAGE_LIMIT_MAX,
  PAGE_OFFSET_MAX,
  type PageQuery,
  type Position,
  SCANNED_ELEMENTS_MAX,
  scanningFilters,
  type Timestamp,
} from '@orders/domain';
import { type Sql, sql } from './sql.ts';
import type { Parameter } from './statement.ts';

/** The values of every list statement. */
export interface PageValues {
  readonly owner_id: Owner;
  readonly limit: number;
  readonly offset: number;
  readonly after_value: string | null;
  readonly after_id: string | null;
}

/** The bytes of metadata as stored; see `freeTextBytes` of the domain. */
export const METADATA_BYTES = sql`octet_length(o.metadata::text)`;

type P = Parameter<PageValues>;

/** The conditions of a query's filters on a row that is read as `o`. */
export interface FilterConditions {
  /** The ends of a range of the sorted column. */
  readonly sorted: readonly Sql[];
  /** Those that no index has beside the sort. They filter the rows of the scans. */
  readonly scanning: readonly Sql[];
  /** The ids that rows must have. Each is looked up: the planner might look for them among all rows of the owner. */
  readonly ids?: Sql | undefined;
  /** Those of other filters, by the filter's name. */
  readonly others: Readonly<Record<string, Sql>>;
}

/** The source of a list: rows of `table`, read as `o`. */
export interface Listed extends Omit<FilterConditions, 'others'> {
  readonly table: string;
  /** What the keys of the page are read from, as `o`, if it is another table. Default: `table`. */
  readonly keysFrom?: Sql | undefined;
  /** The columns of a page. */
  readonly columns: Sql;
  /** The columns that the scans read. */
  readonly read: Sql;
  /** The conditions of each scan beside `sorted`; each scan returns rows in the order of the page. */
  readonly scans: readonly (readonly Sql[])[];
  /** The order of scans that return at most one row, which only the index for them has. Default: that of the page. */
  readonly scanOrder?: Sql | undefined;
  /** Limits on sums over the rows of a page: an expression that is never negative, and the maximum of its sum. */
  readonly room: readonly { readonly of: Sql; readonly max: number }[];
}

/**
 * Selects one page, with a column `more`: whether another row follows. A page ends at `limit` rows, or before the row
 * that would exceed a limit of `room`, but has at least one row. Later rows are not sent. With `scanning`, a column `found`
 * is false for the last row if that only ends the scan.
 */
export function selectPage<Row>(query: PageQuery, listed: Listed, p: P): Sql<Row> {
  const { order } = sortOf(query);
  const limit = sql`${p('limit')}::int`;
  const [found, ended, counted, inPage] =
    listed.scanning.length > 0
      ? [sql`, o.found`, sql`o.is_end`, sql` filter (where o.found)`, sql`(not o.found or o.place <= ${limit})`]
      : [sql``, sql`false`, sql``, sql`o.place <= ${limit}`];
  const sums = listed.room.map(({ of }, index) => sql`sum(${of})${counted} over page as ${sql.ref(`sum${index}`)}`);
  const fits = listed.room.map(({ max }, index) => sql`${sql.ref(`o.sum${index}`)} <= ${sql.lit(max)}`);
  return sql<Row>`
    select ${listed.columns}, o.more${found}
    from (
      select ${sql.join([sql`o.*`, sql`row_number() over page as place`, sql`lead(true, 1, ${ended}) over page as more`, ...sums])}
      from (${candidateRows(query, listed, p)}) as o
      window page as (${order} rows unbounded preceding)
    ) as o
    where o.place = 1 or (${sql.join([inPage, ...fits], sql` and `)})
    order by o.place`;
}

/** A column that is unique among the rows of an owner, of a row or of a key that is looked up. */
type Key = (from: 'o' | 'k') => Sql;

const ID: Key = (from) => sql.raw(`${from}.id`);
const REFERENCE: Key = (from) => sql`${sql.ref(`${from}.reference`)} collate "C"`;

/** Selects the rows that may be on the page, and the row after them. */
function candidateRows(query: PageQuery, listed: Listed, p: P): Sql {
  const { table, keysFrom, read, scans, scanOrder, ids, sorted, scanning } = listed;
  const { order, keys, unique, position } = sortOf(query, p);
  const owner = p('owner_id');
  const room = sql`limit ${p('limit')}::int + 1`;
  const rows = sql`our.${sql.id(table)} as o`;
  const source = (selected: Sql, conditions: readonly Sql[], from = rows) => sql`
    select ${selected} from ${from} where ${sql.join([sql`o.owner_id = ${owner}`, ...conditions], sql` and `)}`;
  // One by one: a join could read the skipped rows again for each row of the owner.
  const lookedUp = (key: Key, conditions: readonly Sql[] = []) => {
    const isKey = sql`${key('o')} >= ${key('k')} and ${key('o')} <= ${key('k')}`;
    return sql`cross join lateral (${source(read, [isKey, ...conditions])} order by ${key('o')} limit 1) as o`;
  };
  const scan = (selected: Sql, others: readonly Sql[]) => {
    // A scan starts at the first condition of its column: the position is further than the end of a range.
    const conditions = [...others, ...position, ...sorted];
    if (ids) return sql`select ${selected} from unnest(${ids}::uuid[]) as k (id) ${lookedUp(ID, conditions)} ${order}`;
    return sql`${source(selected, conditions, keysFrom)} ${scanOrder ?? order}`;
  };
  const merged = (selected: Sql, maxRows: number) =>
    sql`(${sql.join(
      scans.map((conditions) => sql`(${scan(selected, conditions)} limit ${sql.lit(maxRows)})`),
      sql` union all `,
    )})`;
  if (scanning.length > 0) {
    const last = sql.lit(SCANNED_ELEMENTS_MAX);
    const isFound = sql`(${sql.join(scanning, sql` and `)})`;
    // Keys are read from the index alone, and rows one by one: to read many at once, the planner would scan the table.
    const looked = sql`
      select o.*, row_number() over list as place, row_number() over list = ${last} and lead(true, 1, false) over list as is_end
      from ${merged(keys, SCANNED_ELEMENTS_MAX + 1)} as o window list as (${order})`;
    return sql`select o.*, ${isFound} as found, k.is_end from (${looked}) as k ${lookedUp(unique)}
      where k.place <= ${last} and (${isFound} or k.is_end) ${sortOf(query, p, 'k').order} ${room}`;
  }
  // A constant upper limit lets PostgreSQL reuse its plan. With a limit from a parameter alone it would plan each
  // execution, which takes longer than reading the page.
  const maxRows = PAGE_LIMIT_MAX + 1;
  if (keysFrom)
    return sql`select o.* from (select o.* from ${merged(keys, maxRows)} as o ${order} ${room}) as k ${lookedUp(unique)}`;
  if (query.offset === 0) return sql`select o.* from ${merged(read, maxRows)} as o ${order} ${room}`;
  // Skipped rows are read from the index alone. Full rows are read only for the page.
  const skip = sql`limit ${sql.lit(maxRows)} offset ${p('offset')}::int`;
  const [only] = scans;
  const skipped =
    scans.length === 1 && only
      ? sql`${scan(keys, only)} ${skip}`
      : sql`select o.* from ${merged(keys, PAGE_OFFSET_MAX + maxRows)} as o ${order} ${skip}`;
  return sql`select o.* from (select ${unique('o')} from (${skipped}) as o ${order} ${room}) as k ${lookedUp(unique)}`;
}

/** Returns the conditions of the filters that the query has. */
export function filterConditions<Filters extends ListFilters>(
  filters: Filters,
  query: PageQuery & FilterValues<Filters>,
  p: Parameter<FilterValues<Filters>>,
): FilterConditions {
  const scanned = scanningFilters(filters, query);
  const sorted: Sql[] = [];
  const scanning: Sql[] = [];
  const others: Record<string, Sql> = {};
  let ids: Sql | undefined;
  for (const name in filters) {
    const filter: ListFilter | undefined = filters[name];
    if (!filter || query[name] === null) continue;
    const compared = p(name);
    if (filter.value === 'uuids') ids = compared;
    else if (scanned.includes(name)) scanning.push(conditionOf(filter, compared));
    else if (filter.value === 'time') sorted.push(conditionOf(filter, compared));
    else others[name] = conditionOf(filter, compared);
  }
  return { sorted, scanning, ids, others };
}

function conditionOf(filter: Exclude<ListFilter, { value: 'uuids' }>, compared: Sql): Sql {
  const column = sql.ref(`o.${filter.of}`);
  switch (filter.value) {
    case 'uuid':
      return sql`${column} = ${compared}::uuid`;
    case 'names':
      return sql`${column} = any(${compared}::text[])`;
    case 'time':
      return sql`${column} ${sql.raw(filter.operator)} ${compared}::timestamptz`;
    case 'text':
      // A range, in the order of an index of its own. Where many owners use the same text, the planner expects many rows
      // of a large one. It would then look for them among all of its rows.
      return sql`${column} >= ${compared} collate "C" and ${column} <= ${compared} collate "C"`;
    case 'prefix':
      return sql`${column} collate "C" >= ${compared}::text
        and ${column} collate "C" <= ${compared}::text || repeat(chr(1114111), ${sql.lit(filter.max)})`;
    case 'integer':
      return sql`${column} ${sql.raw(filter.operator)} ${compared}::bigint`;
    case 'lookup':
      return sql`o.name = (${compared}::text[])[1] and o.value = (${compared}::text[])[2]`;
  }
}

/** Returns the order of a list, the columns that are its keys, one that is unique, and the condition of a position. */
function sortOf(query: PageQuery, p?: P, of: 'o' | 'k' = 'o') {
  const after = query.after === null ? undefined : p;
  if (query.sort === 'reference') {
    const column = REFERENCE(of);
    const position = after ? [sql`${column} > ${after('after_value')}::text`] : [];
    return { order: sql`order by ${column}`, keys: sql`o.reference`, unique: REFERENCE, position };
  }
  const column = sql.ref(`${of}.${memberOf(query.sort)}`);
  const [direction, comparison] = query.sort.startsWith('-') ? (['desc', '<'] as const) : (['asc', '>'] as const);
  const order = sql`order by ${column} ${sql.raw(direction)}, ${ID(of)} ${sql.raw(direction)}`;
  const place = after && sql`(${after('after_value')}::timestamptz, ${after('after_id')}::uuid)`;
  const position = place ? [sql`(${column}, o.id) ${sql.raw(comparison)} ${place}`] : [];
  return { order, keys: sql`${column}, o.id`, unique: ID, position };
}

/** Returns the member of an element that a list is sorted by. */
function memberOf(sort: PageQuery['sort']): string {
  return sort.replace('-', '');
}

/**
 * Returns a key for the statement of a query: the sort order, which other members and filters are present, and the
 * numbers of names, as each may have a scan of its own.
 */
export function pageShape(query: PageQuery): string {
  const members: readonly (readonly [string, unknown])[] = Object.entries(query);
  return members.map(([name, value]) => (name === 'sort' ? value : `${name}:${shapeOf(name, value)}`)).join(' ');
}

function shapeOf(name: string, value: unknown): number | boolean {
  return Array.isArray(value) && name !== 'ids' ? value.length : value !== null && value !== 0;
}

/** Returns the values of a query for the statement of its page. */
export function pageValues(owner_id: Owner, { limit, offset, after }: PageQuery): PageValues {
  return { owner_id, limit, offset, after_value: after?.value ?? null, after_id: after?.id ?? null };
}

/** Returns the position of the next page, or `null` after the last page. */
export function nextPosition(
  { sort }: PageQuery,
  page: readonly { readonly id: string }[],
  more: boolean,
): Position<Timestamp> | null {
  const last = page.at(-1);
  return last && more ? { value: String(Reflect.get(last, memberOf(sort))), id: last.id } : null;
}
