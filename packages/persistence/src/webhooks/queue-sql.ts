import { IMPORT_EVENT_TYPES } from '@orders/domain/webhooks';

/** Deliveries that one transaction requeues or purges: few enough that it takes milliseconds. */
export const DELIVERIES_BATCH = 1000;

/** The parameters that name an endpoint. */
export const ENDPOINT = { owner_id: 'text', endpoint_id: 'uuid' };

/** The time, in the precision in which times are stored. A rounded one could be later than the time of the next statement. */
export const NOW = `date_trunc('milliseconds', clock_timestamp())`;

/**
 * Lets the commit not wait for the disk, for which others would wait with the lock of the queue. After a crash of
 * PostgreSQL, the last moments are missing as a whole, and their deliveries are attempted again.
 */
export const ASYNCHRONOUS_COMMIT = `perform set_config('synchronous_commit', 'off', true);`;

/** Milliseconds as an interval. */
export const ms = (value: number | string) => `${value} * interval '1 millisecond'`;

/** The deliveries of the endpoint, as the part of a condition. */
export const OF_ENDPOINT = 'd.owner_id = p_owner_id and d.endpoint_id = p_endpoint_id';

/** Returns the condition that an endpoint with these `types` receives events of a `type`. */
export const isWanted = (types: string, type: string) =>
  `case when ${types} is null then ${type} not in (${IMPORT_EVENT_TYPES.map((one) => `'${one}'`).join(', ')})
          else ${types}::jsonb ? ${type} end`;

/** Whether a delivery is one of those that an aggregate gets in their order. */
export const IN_ORDER = `d.status = 'pending' and not d.redelivery`;

/**
 * Returns the expression of the first pending position of an aggregate after another one, null without any. A comparison of
 * rows lets no other index than that of the order return the first row.
 *
 * The search ends behind the aggregate, since the index may still have what was settled of the next ones. A comparison of
 * one column ends it: before PostgreSQL 18, one of rows reads all entries with the same first column.
 */
export const firstPending = (aggregate: string, id: string, after = '0::bigint') => `(
        select d.position from our.webhook_deliveries as d
        where ${OF_ENDPOINT} and ${IN_ORDER} and d.aggregate = ${aggregate}
          and (d.aggregate_id, d.position) > (${id}, ${after}) and d.aggregate_id <= ${id}
        order by d.aggregate_id, d.position limit 1)`;

/**
 * The time at which a delivery that waits for no other can be claimed: at once, or after a lease that it got before it had
 * to wait.
 */
const WHEN_FREE = 'greatest(after_claims, d.leased_until)';

/** The first pending positions of the aggregates of `kinds` and `ids`, as an array. */
export const FIRSTS_OF_ALL = `array(select distinct ${firstPending('a.aggregate', 'a.aggregate_id')}
      from unnest(kinds, ids) as a (aggregate, aggregate_id))`;

/**
 * Makes the first pending deliveries of the aggregates of `kinds` and `ids` due, unless they are. Sets `firsts` to their
 * positions. One by one and with their status, so that every index with a position finds them by it. For a list, the planner
 * may read all pending deliveries of a large endpoint beside many small ones.
 */
export const MAKE_FIRSTS_DUE = `select ${FIRSTS_OF_ALL} into firsts;
    foreach first in array firsts loop
      update our.webhook_deliveries as d set due_at = ${WHEN_FREE}
      where ${OF_ENDPOINT} and d.status = 'pending' and d.position = first and d.due_at is null;
    end loop;`;
