import type { Owner } from '@orders/domain';
import { type Sql, sql } from '../sql/sql.ts';
import { eventFunctions } from '../events/event-functions.ts';
import { hasEventAfter, isUnnumbered } from '../events/feed-conditions.ts';
import type { NumberedChange } from '../events/feed-statements.ts';
import type { Orm } from '../tables/orm.ts';
import { columnsOf } from '../sql/columns.ts';
import type { OwnerPage } from '../owners/living-owners.ts';
import { callOf } from '../sql/database-function.ts';
import { prepare, prepareQuery } from '../sql/statement.ts';
import type { SettleResult } from './joint-settlements.ts';
import { freshDueSince, joinNewestQueue, retriesDueSince } from './queue-conditions.ts';
import { ofOwners } from './of-owners.ts';
import { WEBHOOK_FUNCTIONS } from './queue-functions.ts';
import { WebhookEndpointEntity } from '../tables/webhook-endpoint-entity.ts';
import type { WebhookEndpointRow } from './webhook-endpoint-row.ts';

/** The result of a fan-out for one endpoint. */
export interface FanOutResult {
  /** Whether more events are left, or more failed deliveries to requeue. */
  readonly more: boolean;
  /** The number of events that left the feed before the endpoint got them. */
  readonly expired: number;
}

/** A claim, without its endpoint and event. */
export interface ClaimRow {
  readonly endpoint_id: string;
  readonly position: number;
  readonly attempt: number;
  readonly fence: number;
  readonly gaps: number | null;
  /** The place among the claims in the order of their times. */
  readonly place: number;
}

/** The result of a claim. */
export interface Claims {
  readonly claimed: readonly ClaimRow[];
  /** Whether a queue of the owner was locked by another worker. */
  readonly busy: boolean;
  /** Whether an endpoint of the owner has changed since the last fan-out. */
  readonly changed: boolean;
}

/** The work that a fan-out of an endpoint has to do. */
export interface Backlog {
  readonly endpoint_id: string;
  /** Whether the endpoint has changed, has events with a position to pass, or has failed deliveries to requeue. */
  readonly is_behind: boolean;
  /** Whether the owner has changes without a position. */
  readonly unnumbered: boolean;
}

interface OwnerValues {
  readonly owner_id: Owner;
}

/** A range of owners. */
interface OwnerRange {
  /** The last owner of the range; `null` in an empty one. */
  readonly until: Owner | null;
  /** The number of endpoints. */
  readonly count: number;
}

/** Returns the statements of the queue. Every subquery filters by owner, except those of {@link due}. */
export function queueStatements(orm: Orm) {
  const columns = columnsOf(WebhookEndpointEntity).filter(({ name }) => name !== 'slot');

  /** Whether the feed `f` has events after a position, or had some that have left it. */
  const hasEvents = (owner: Sql, position: Sql) =>
    sql`(coalesce(f.purged, 0) > ${position} or ${hasEventAfter(owner, position)})`;

  return {
    fanOut: callOf<FanOutResult>(orm, WEBHOOK_FUNCTIONS.fanOut),
    claim: callOf<Claims>(orm, WEBHOOK_FUNCTIONS.claim),
    settle: callOf<SettleResult>(orm, WEBHOOK_FUNCTIONS.settle),
    resume: callOf<{ readonly more: boolean }>(orm, WEBHOOK_FUNCTIONS.resume),

    /** Selects the endpoints of an owner, with those that were disabled after a claim: its attempts are made. */
    endpoints: prepare<OwnerValues, WebhookEndpointRow>(orm)`
        select ${sql.join(columns.map(({ name }) => sql.ref(`e.${name}`)))} from our.webhook_endpoints as e
        where e.owner_id = ${'owner_id'}`,

    /** Selects the backlogs of the enabled endpoints of an owner. */
    backlog: prepareQuery<OwnerValues, Backlog>(orm, (p) => {
      const owner = p('owner_id');
      return sql<Backlog>`
        select e.id as endpoint_id, (q.endpoint_id is null or q.endpoint_version <> e.version
          or q.requeue_after is not null or ${hasEvents(owner, sql`q.position`)}) as is_behind,
          ${isUnnumbered(owner)} as unnumbered
        from our.webhook_endpoints as e
        ${joinNewestQueue(owner)}
        left join our.feeds as f on f.owner_id = ${owner}
        where e.owner_id = ${owner} and e.status = 'enabled'`;
    }),

    changes: callOf<readonly NumberedChange[]>(orm, eventFunctions().changes),

    /**
     * Plans the further statements of a transaction for the tables as they are, not as they were at first. They
     * read the first entries of an index in place of sorting all rows.
     */
    planAgain: prepare<object, object>(orm)`select set_config('plan_cache_mode', 'force_custom_plan', true),
        set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true)`,

    /** Selects the range of the next owners that have `limit` endpoints, whatever the status of these. */
    owners: prepare<OwnerPage, OwnerRange>(orm)`
        select max(e.owner_id) as until, count(*)::int as count from (
          select e.owner_id from our.webhook_endpoints as e where e.owner_id > ${'after'}
          order by e.owner_id limit ${'limit'}::int) as e`,

    /**
     * Selects owners of a range that have something to fan out or to claim. The subqueries about deliveries return the
     * first entry of an index after what was claimed, however many deliveries there are.
     */
    due: ofOwners<{ owner_id: Owner }>(orm, (owner, isIncluded) => {
      const isRetryDue = sql`(${retriesDueSince(owner, 1)}) is not null`;
      const isFreshDue = sql`(${freshDueSince(owner, 1)}) is not null`;
      return sql<{ owner_id: Owner }>`
        select e.owner_id from our.webhook_endpoints as e
        ${joinNewestQueue(owner)}
        left join our.feeds as f on f.owner_id = ${owner}
        where e.status = 'enabled' and ${isIncluded} and (
          (q.endpoint_id is not null and (q.endpoint_version <> e.version or q.requeue_after is not null))
          or ${hasEvents(owner, sql`coalesce(q.position, e.start)`)}
          or ${isUnnumbered(owner)}
          or ((q.full_until is null or q.full_until <= now())
            and (${isRetryDue} or ((q.failing = 0 or q.fresh_after <= now()) and ${isFreshDue}))))
        group by e.owner_id order by e.owner_id`;
    }),
  };
}

export type QueueStatements = ReturnType<typeof queueStatements>;
