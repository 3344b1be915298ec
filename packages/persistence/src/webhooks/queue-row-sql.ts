import { ms, NOW } from './queue-sql.ts';

/** The queue of the endpoint, as the part of a condition. */
export const QUEUE = 'q.owner_id = p_owner_id and q.endpoint_id = p_endpoint_id';

/** The row of the queue that the transaction has locked, as the part of a condition. Each change of it adds a revision. */
export const LOCKED_QUEUE = `${QUEUE} and q.revision = queue.revision`;

/** Locks the newest row of the queue, and selects it into `queue`. Sets `found`. */
export const LOCK_QUEUE = `select q.* into queue from our.webhook_queues as q where ${QUEUE}
    order by q.revision desc limit 1 for update;`;

/**
 * Locks the row of the queue of an endpoint and selects it into `queue`, unless another transaction has locked it. Sets
 * `newest`, which is null without a queue, and `found`. Without the revision, a locked row would let the statement pass
 * all earlier ones.
 */
export const lockQueueUnlessLocked = (endpoint: string) => `select q.revision into newest from our.webhook_queues as q
      where q.owner_id = p_owner_id and q.endpoint_id = ${endpoint} order by q.revision desc limit 1;
      select q.* into queue from our.webhook_queues as q
      where q.owner_id = p_owner_id and q.endpoint_id = ${endpoint} and q.revision = newest
      for update skip locked;`;

/** Maximum time by which the last claim is ahead of the clock. */
const AHEAD_MAX = ms(1000);

/**
 * Sets `at` to the time, which is not before that of the last claim, and `after_claims` to a time after it. What becomes due
 * then is behind all that was claimed, whatever its position. If the clock was set back, the next claim begins with the
 * first entry of the index again.
 */
export const SET_TIME = `select ${NOW} into at;
    if greatest(queue.fresh_claimed_to, queue.retries_claimed_to) > at + ${AHEAD_MAX} then
      update our.webhook_queues as q
      set revision = queue.revision + 1, fresh_claimed_to = null, fresh_claimed_position = null, retries_claimed_to = null
      where q.owner_id = p_owner_id and q.endpoint_id = queue.endpoint_id and q.revision = queue.revision;
      select q.* into queue from our.webhook_queues as q
      where q.owner_id = p_owner_id and q.endpoint_id = queue.endpoint_id and q.revision = queue.revision + 1;
    end if;
    select greatest(at, queue.fresh_claimed_to), greatest(at, queue.fresh_claimed_to + ${ms(1)}) into at, after_claims;`;
