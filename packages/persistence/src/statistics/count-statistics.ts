import type { Owner } from '@orders/domain';
import type { OrdersDatabase } from '../database/database.ts';
import { numberingOf } from '../events/numbering.ts';
import { callOf } from '../sql/database-function.ts';
import { type Counted, countEvents } from './count-function.ts';
import { STATISTICS_CONSUMER } from './figures-sql.ts';
import { recountOf } from './recount.ts';

/** What a call has done. */
export interface CountedEvents {
  /** The number of events that were counted. */
  readonly events: number;
  /** Whether more events are left. */
  readonly isMoreLeft: boolean;
  /** Whether the figures of the owner, counted again from its orders, have replaced the earlier ones. */
  readonly isRecounted: boolean;
}

/**
 * Returns a function that counts the next events of an owner, at most a thousand, unless another process does. An owner
 * whose replaced versions are gone, because nothing has counted it for longer than they are kept, is counted again from its
 * orders, step by step. {@link consumeStatistics} calls it for all owners.
 */
export function countStatistics(database: OrdersDatabase): (owner: Owner) => Promise<CountedEvents> {
  const { orm, primary } = database;
  const numbering = numberingOf(database);
  const count = callOf<Counted>(orm, countEvents);
  const recount = recountOf(database);
  return async (owner) => {
    const isComplete = await numbering.run(owner);
    const [row] = await count(primary, { owner_id: owner, name: STATISTICS_CONSUMER });
    if (!row) throw new Error('a function returned no row');
    const { events, is_more: isMore, is_lost: isLost, is_recounted: isUnderWay } = row.outcome;
    if (isLost && !isUnderWay) await recount.begin(owner);
    if (!isLost && !isUnderWay) return { events, isMoreLeft: !isComplete || isMore, isRecounted: false };
    const step = await recount.step(owner);
    return { events, isMoreLeft: step !== 'busy', isRecounted: step === 'replaced' };
  };
}
