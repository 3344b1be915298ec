import { type Sql, sql } from '../sql/sql.ts';

/**
 * Joins the queue `q` of an endpoint `e` of an owner in its newest revision, if it has one.
 *
 * @param isAmong returns a condition on a column with the owner; default: none
 */
export const joinNewestQueue = (owner: Sql, isAmong: (column: string) => Sql = () => sql`true`) => sql`
        left join our.webhook_queues as q on q.owner_id = ${owner} and ${isAmong('q.owner_id')}
        and q.endpoint_id = e.id and q.revision = (
          select r.revision from our.webhook_queues as r
          where r.owner_id = ${owner} and ${isAmong('r.owner_id')} and r.endpoint_id = e.id
          order by r.revision desc limit 1)`;

/** Selects the times since which deliveries of an endpoint `e` of an owner with the queue `q` have been due, from an index in its order. */
const dueSince = (owner: Sql, condition: Sql, limit: number) => sql`
            select d.due_at as since from our.webhook_deliveries as d
            where d.owner_id = ${owner} and d.endpoint_id = e.id and ${condition} and d.due_at <= now()
            order by d.due_at, d.position limit ${sql.lit(limit)}`;

/** Selects the times since which further attempts have been due, after those that were claimed. */
export const retriesDueSince = (owner: Sql, limit: number) =>
  dueSince(owner, sql`not d.fresh and d.due_at > coalesce(q.retries_claimed_to, '-infinity')`, limit);

/** Selects the times since which first attempts have been due, after those that were claimed. */
export const freshDueSince = (owner: Sql, limit: number) =>
  dueSince(
    owner,
    sql`d.fresh
              and (d.due_at, d.position) > (coalesce(q.fresh_claimed_to, '-infinity'), coalesce(q.fresh_claimed_position, 0))`,
    limit,
  );
