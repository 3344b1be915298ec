import {
  type FilterValues,
  type ListFilter,
  type ListFilters,
  type Owner,
  PAGE_LIMIT_MAX,
  PAGE_OFFSET_MAX,
  type PageQuery,
  type Position,
  type Timestamp,
} from '@orders/domain';
import { type Expression, type RawBuilder, sql } from 'kysely';
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

type P = Parameter<{ query: PageValues }>;

/** The source of a list: rows of `table`, read as `o`. */
export interface Listed {
  readonly table: string;
  /** The columns of a page. */
  readonly columns: Expression<unknown>;
  /** The columns that the scans read. */
  readonly read: Expression<unknown>;
  /** The conditions of each scan; each scan returns rows in the order of the page. */
  readonly scans: readonly (readonly RawBuilder<unknown>[])[];
  /** The order of scans that return at most one row, which only the index for them has. Default: that of the page. */
  readonly scanOrder?: RawBuilder<unknown> | undefined;
  /** Limits on sums over the rows of a page: an expression that is never negative, and the maximum of its sum. */
  readonly room: readonly { readonly of: RawBuilder<unknown>; readonly max: number }[];
}

/**
 * Selects one page, with a column `more`: whether another row follows. A page ends at `limit` rows, or before the row
 * that would exceed a limit of `room`, but has at least one row. Later rows are not sent.
 */
export function selectPage<Row>(query: PageQuery, listed: Listed, p: P): RawBuilder<Row> {
  const { order } = sortOf(query);
  const sums = listed.room.map(({ of }, index) => sql`sum(${of}) over page as ${sql.ref(`sum${index}`)}`);
  const fits = listed.room.map(({ max }, index) => sql`${sql.ref(`o.sum${index}`)} <= ${sql.lit(max)}`);
  return sql<Row>`
    select ${listed.columns}, o.more
    from (
      select ${sql.join([sql`o.*`, sql`row_number() over page as place`, sql`lead(true, 1, false) over page as more`, ...sums])}
      from (${candidateRows(query, listed, p)}) as o
      window page as (${order} rows unbounded preceding)
    ) as o
    where o.place = 1 or (${sql.join([sql`o.place <= ${p('query', 'limit')}::int`, ...fits], sql` and `)})
    order by o.place`;
}

/** Selects the rows that may be on the page, and the row after them. */
function candidateRows(query: PageQuery, { table, read, scans, scanOrder }: Listed, p: P): RawBuilder<unknown> {
  const { order, column, position } = sortOf(query, p);
  const owner = p('query', 'owner_id');
  const room = sql`limit ${p('query', 'limit')}::int + 1`;
  const scan = (selected: Expression<unknown>, conditions: readonly RawBuilder<unknown>[]) => sql`
    select ${selected} from our.${sql.id(table)} as o
    where ${sql.join([sql`o.owner_id = ${owner}`, ...conditions, ...position], sql` and `)} ${scanOrder ?? order}`;
  const merged = (selected: Expression<unknown>, maxRows: number) =>
    sql`(${sql.join(
      scans.map((conditions) => sql`(${scan(selected, conditions)} limit ${sql.lit(maxRows)})`),
      sql` union all `,
    )})`;
  // A constant upper limit lets PostgreSQL reuse its plan. With a limit from a parameter alone it would plan each
  // execution, which takes longer than reading the page.
  const maxRows = PAGE_LIMIT_MAX + 1;
  if (query.offset === 0) return sql`select o.* from ${merged(read, maxRows)} as o ${order} ${room}`;
  // Skipped rows are read from the index alone. Full rows are read only for the page.
  const keys = sql`${column}, o.id`;
  const skip = sql`limit ${sql.lit(maxRows)} offset ${p('query', 'offset')}::int`;
  const [only] = scans;
  const skipped =
    scans.length === 1 && only
      ? sql`${scan(keys, only)} ${skip}`
      : sql`select o.* from ${merged(keys, PAGE_OFFSET_MAX + maxRows)} as o ${order} ${skip}`;
  // One by one: a join could read the skipped rows again for each row of the owner.
  return sql`select o.* from (select o.id from (${skipped}) as o ${order} ${room}) as k
    cross join lateral (select ${read} from our.${sql.id(table)} as o
      where o.owner_id = ${owner} and o.id >= k.id and o.id <= k.id order by o.id limit 1) as o`;
}

/** Returns the condition of each filter that the query has, on a row that is read as `o`, by the filter's name. */
export function filterConditions<Filters extends ListFilters>(
  filters: Filters,
  query: FilterValues<Filters>,
  p: Parameter<{ query: FilterValues<Filters> }>,
): ReadonlyMap<string, RawBuilder<unknown>> {
  const conditions = new Map<string, RawBuilder<unknown>>();
  for (const name in filters) {
    const filter: ListFilter | undefined = filters[name];
    if (filter && query[name] !== null) conditions.set(name, conditionOf(filter, p('query', name)));
  }
  return conditions;
}

function conditionOf({ of, value, operator }: ListFilter, compared: Expression<unknown>): RawBuilder<unknown> {
  const column = sql.ref(`o.${of}`);
  if (operator === 'in') return sql`${column} = any(${compared}::text[])`;
  if (value === 'uuid') return sql`${column} = ${compared}::uuid`;
  // A range, in the order of an index of its own. Where many owners use the same text, the planner expects many rows of a
  // large one. It would then look for them among all of its rows.
  return sql`${column} >= ${compared} collate "C" and ${column} <= ${compared} collate "C"`;
}

/** Returns the order of a list, and the condition that a page begins after a position. */
function sortOf(query: PageQuery, p?: P) {
  const column = sql.ref(query.sort.endsWith('created_at') ? 'o.created_at' : 'o.updated_at');
  const [direction, comparison] = query.sort.startsWith('-') ? (['desc', '<'] as const) : (['asc', '>'] as const);
  const order = sql`order by ${column} ${sql.raw(direction)}, o.id ${sql.raw(direction)}`;
  const after = p && sql`(${p('query', 'after_value')}::timestamptz, ${p('query', 'after_id')}::uuid)`;
  const position = after && query.after !== null ? [sql`(${column}, o.id) ${sql.raw(comparison)} ${after}`] : [];
  return { column, order, position };
}

/**
 * Returns a key for the statement of a query: the sort order, which other members and filters are present, and the
 * lengths of arrays.
 */
export function pageShape(query: PageQuery): string {
  const members: readonly (readonly [string, unknown])[] = Object.entries(query);
  return members.map(([name, value]) => (name === 'sort' ? value : `${name}:${shapeOf(value)}`)).join(' ');
}

function shapeOf(value: unknown): number | boolean {
  return Array.isArray(value) ? value.length : value !== null && value !== 0;
}

/** Returns the values of a query for the statement of its page. */
export function pageValues(owner_id: Owner, { limit, offset, after }: PageQuery): PageValues {
  return { owner_id, limit, offset, after_value: after?.value ?? null, after_id: after?.id ?? null };
}

/** Returns the position of the next page, or `null` after the last page. */
export function nextPosition(
  { sort }: PageQuery,
  page: readonly { readonly id: string; readonly created_at: Timestamp; readonly updated_at: Timestamp }[],
  more: boolean,
): Position<Timestamp> | null {
  const last = page.at(-1);
  if (!last || !more) return null;
  return { value: sort.endsWith('created_at') ? last.created_at : last.updated_at, id: last.id };
}
