import { type Owner, PAGE_LIMIT_MAX, type PageQuery, type Position, type Timestamp } from '@orders/domain';
import { type RawBuilder, sql } from 'kysely';
import type { Parameter } from './statement.ts';

/** The values that every list is asked by. */
export interface PageValues {
  readonly owner_id: Owner;
  readonly limit: number;
  readonly offset: number;
  readonly after_value: string | null;
  readonly after_id: string | null;
}

/** The parts of a list's statement that do not depend on what is listed; it is read as `o`. */
export interface KeysetPage {
  readonly order: RawBuilder<unknown>;
  /** Where the page begins, if it follows another. */
  readonly position: readonly RawBuilder<unknown>[];
  /** Ends a scan that finds what the page may have. */
  readonly enough: RawBuilder<unknown>;
  /** Ends the statement that chooses among it: the page, and one more to say that there is more. */
  readonly page: RawBuilder<unknown>;
}

export function keysetPage(query: PageQuery, p: Parameter<{ query: PageValues }>): KeysetPage {
  const column = sql.ref(query.sort.endsWith('created_at') ? 'o.created_at' : 'o.updated_at');
  const [direction, behind] = query.sort.startsWith('-') ? (['desc', '<'] as const) : (['asc', '>'] as const);
  const order = sql`order by ${column} ${sql.raw(direction)}, o.id ${sql.raw(direction)}`;
  const room = sql`${p('query', 'limit')}::int + 1`;
  const after = sql`(${p('query', 'after_value')}::timestamptz, ${p('query', 'after_id')}::uuid)`;
  const position = query.after === null ? [] : [sql`(${column}, o.id) ${sql.raw(behind)} ${after}`];
  if (query.offset > 0) {
    const offset = sql`${p('query', 'offset')}::int`;
    const enough = sql`${order} limit ${room} + ${offset}`;
    return { order, position, enough, page: sql`${order} limit ${room} offset ${offset}` };
  }
  // However long the page is, there is an end to it that PostgreSQL knows beforehand. For one that comes with each call
  // it would make a new plan each time, which takes longer than to read the page.
  const enough = sql`${order} limit ${sql.lit(PAGE_LIMIT_MAX + 1)}`;
  return { order, position, enough, page: sql`${order} limit ${room}` };
}

/** What tells one page's statement from another's of the same list. */
export function pageShape({ sort, offset, after }: PageQuery): string {
  return `${sort}${offset > 0 ? ' offset' : ''}${after === null ? '' : ' after'}`;
}

/** A page's values, for its statement. */
export function pageValues(owner_id: Owner, { limit, offset, after }: PageQuery): PageValues {
  return { owner_id, limit, offset, after_value: after?.value ?? null, after_id: after?.id ?? null };
}

/** Where the next page begins, when more was found than the page holds. */
export function nextPosition(
  { sort }: PageQuery,
  page: readonly { readonly id: string; readonly created_at: Timestamp; readonly updated_at: Timestamp }[],
  found: number,
): Position<Timestamp> | null {
  const last = page.at(-1);
  if (!last || page.length >= found) return null;
  return { value: sort.endsWith('created_at') ? last.created_at : last.updated_at, id: last.id };
}
