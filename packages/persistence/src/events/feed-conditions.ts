import { type Sql, sql } from '../sql/sql.ts';

/**
 * Whether the owner has a change without a position. An index has these changes alone. The order makes it the
 * only way to the first of them. Without it, while another owner has a large backlog, the planner expects one within a
 * few rows of the table. It then reads all of the table when the owner has none.
 */
export function isUnnumbered(owner: Sql): Sql<boolean> {
  return sql<boolean>`coalesce((
    select true from our.changes as u
    where u.owner_id = ${owner} and u.position is null and u.type is not null
    order by u.occurred_at limit 1), false)`;
}

/** Whether the owner has an event after a position, found in the same way. */
export function hasEventAfter(owner: Sql, position: Sql): Sql<boolean> {
  return sql<boolean>`coalesce((
    select true from our.changes as c where c.owner_id = ${owner} and c.position > ${position}
    order by c.position limit 1), false)`;
}

/** The rows of the change `c` at a position: one or none. As a range, the position leaves the order to one index alone. */
export const changeAt = (owner: string, position: string) => `from our.changes as c
    where c.owner_id = ${owner} and c.position >= ${position} and c.position <= ${position} order by c.position limit 1`;

/**
 * The rows of the last event `e` of the feed `f` that fulfil a condition on its owner: one or none. It is found without those
 * that have left the feed.
 */
export function lastEvent(owner: Sql, condition = sql`true`): Sql {
  return sql`from our.changes as e
    where e.owner_id = ${owner} and ${condition} and e.position >= f.purged order by e.position desc limit 1`;
}

/** The last position of the feed `f` that was given, whose last event is `e`. */
export const LAST = sql`coalesce(e.position, f.purged)`;
