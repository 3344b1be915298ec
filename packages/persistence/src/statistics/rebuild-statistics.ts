import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '@orders/domain';
import type { OrdersDatabase } from '../database.ts';
import { callOf } from '../sql/database-function.ts';
import { recountOrders } from './recount-function.ts';

/** The pause before it is tried again whether another process has finished, in milliseconds. */
const BUSY_PAUSE_MS = 250;

/**
 * Counts all orders of an owner again, in one transaction, which takes about ten seconds for a million versions. Readers see
 * the earlier figures until it ends. Waits while another process counts the owner.
 *
 * @throws {Error} the database query failed; the figures stay as they were
 */
export async function rebuildStatistics(database: OrdersDatabase, owner: Owner): Promise<void> {
  await database.withoutTimeLimits(async ({ orm, primary }) => {
    const recount = callOf<boolean>(orm, recountOrders);
    for (;;) {
      const [row] = await recount(primary, { call: { owner_id: owner } });
      if (row?.outcome) return;
      await sleep(BUSY_PAUSE_MS);
    }
  });
}
