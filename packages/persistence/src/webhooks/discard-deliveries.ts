import type { Owner, Timestamp } from '@orders/domain';
import type { OrdersDatabase } from '../database/database.ts';
import { inSchema } from '../tables/schema.ts';
import { postgresWebhookQueue } from './webhook-queue.ts';

/** Locked by everything that changes the deliveries of an endpoint. */
const LOCK_QUEUES = `select from our.webhook_queues as q where q.owner_id = $1 for update`;

const DISCARD = `with discarded as (
    delete from our.webhook_deliveries as d using our.changes as c
    where d.owner_id = $1 and d.status = 'pending'
      and c.owner_id = $1 and c.position = d.position and c.occurred_at < $2::timestamptz
    returning 1
  ) select count(*)::int as count from discarded`;

/** Lets deliveries that waited for a discarded one of their aggregate be claimed. */
const RELEASE = `update our.webhook_deliveries as d set due_at = $2::timestamptz
  where d.owner_id = $1 and d.status = 'pending' and not d.redelivery and d.due_at is null and not exists (
    select from our.webhook_deliveries as e where e.owner_id = $1 and e.endpoint_id = d.endpoint_id
      and e.aggregate = d.aggregate and e.aggregate_id = d.aggregate_id
      and e.status = 'pending' and not e.redelivery and e.position < d.position)`;

const NOW = `select date_trunc('milliseconds', clock_timestamp())::text as now`;

/**
 * Deletes the pending deliveries of an owner whose events occurred before a time, also of events that had no delivery yet,
 * and returns their number. Nothing must send from the database meanwhile.
 *
 * @throws {Error} the database query failed; a repetition continues
 */
export async function discardDeliveries(database: OrdersDatabase, owner: Owner, before: Timestamp): Promise<number> {
  let isLeft = true;
  // A queue that another server has locked is left to it.
  const queue = postgresWebhookQueue(database, { onPassedOver: () => void (isLeft = true) });
  while (isLeft) {
    isLeft = false;
    const fannedOut = await queue.fanOut(owner);
    if (fannedOut.isErr()) throw new Error('the events of an owner cannot be read', { cause: fannedOut.error.cause });
    isLeft ||= fannedOut.value.isMoreLeft;
  }
  return await database.withoutTimeLimits(async ({ primary, orm }) => {
    const statement = (text: string) => ({ text: inSchema(orm, text) });
    return await primary.transaction(async (transaction) => {
      await transaction.execute(statement(LOCK_QUEUES), [owner]);
      const [row] = await transaction.execute<{ readonly count: number }>(statement(DISCARD), [owner, before]);
      // In a statement of its own: Citus calculates no times in a condition.
      const [{ now } = { now: before }] = await transaction.execute<{ readonly now: string }>({ text: NOW }, []);
      await transaction.execute(statement(RELEASE), [owner, now]);
      return row?.count ?? 0;
    });
  });
}
