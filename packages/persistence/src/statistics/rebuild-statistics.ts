import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '@orders/domain';
import type { OrdersDatabase } from '../database/database.ts';
import { recountOf } from './recount.ts';

/** The pause before it is tried again whether another process has finished a step, in milliseconds. */
const BUSY_PAUSE_MS = 250;

/**
 * Counts all orders of an owner again, in steps of at most a thousand orders. Readers see the earlier figures until it ends.
 * Continues what another process has begun, also one that has failed.
 *
 * @throws {Error} a database query failed; a repetition continues
 */
export async function rebuildStatistics(database: OrdersDatabase, owner: Owner): Promise<void> {
  const recount = recountOf(database);
  await recount.begin(owner);
  for (;;) {
    const step = await recount.step(owner);
    if (step === 'none' || step === 'ended') return;
    if (step === 'busy') await sleep(BUSY_PAUSE_MS);
  }
}
