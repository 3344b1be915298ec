/** Deliveries that one transaction requeues or purges: few enough that it takes milliseconds. */
export const DELIVERIES_BATCH = 1000;

/**
 * Every table is read by the index that is made for it. A statement may have been planned while there were few rows: its
 * plan would read all of them once there are many.
 *
 * A plan that needs what is off has a very high cost. PostgreSQL would therefore compile it, which takes a tenth of a second
 * and more for each new plan.
 */
export const BY_INDEX = ['enable_seqscan = off', 'enable_bitmapscan = off', 'jit = off'];

/** The same, for functions whose statements read rows in the order of an index: none of them sorts rows of a table. */
export const BY_INDEX_IN_ORDER = [...BY_INDEX, 'enable_sort = off'];

/** The parameters that name an endpoint. */
export const OWNER = { name: 'owner_id', type: 'text' };
export const ENDPOINT = { name: 'endpoint_id', type: 'uuid' };

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

/** Whether a delivery is one of those that an aggregate gets in their order. */
export const IN_ORDER = `d.status = 'pending' and not d.redelivery`;

/** The position after all others. */
const LAST_POSITION = `${2n ** 63n - 1n}::bigint`;

/**
 * Returns the expression of the first pending position of an aggregate after another one, null without any. The
 * comparisons of rows let no other index than that of the order return the first row. They also end the search behind the
 * aggregate, since the index may still have what was settled of the next ones.
 */
export const firstPending = (aggregate: string, id: string, after = '0::bigint') => `(
        select d.position from webhook_deliveries as d
        where ${OF_ENDPOINT} and ${IN_ORDER}
          and (d.aggregate, d.aggregate_id, d.position) > (${aggregate}, ${id}, ${after})
          and (d.aggregate, d.aggregate_id, d.position) <= (${aggregate}, ${id}, ${LAST_POSITION})
        order by d.aggregate, d.aggregate_id, d.position limit 1)`;

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
 * positions.
 */
export const MAKE_FIRSTS_DUE = `select ${FIRSTS_OF_ALL} into firsts;
    update webhook_deliveries as d set due_at = ${WHEN_FREE}
    where ${OF_ENDPOINT} and d.position = any(firsts) and d.due_at is null;`;
