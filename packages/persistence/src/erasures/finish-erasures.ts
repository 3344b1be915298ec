import { setTimeout as sleep } from 'node:timers/promises';
import type { Domain, OrderDefinition, Owner, VersionPosition } from '@orders/domain';
import { sql } from 'kysely';
import type { OrdersDatabase } from '../database.ts';
import { backlogPauseMs } from '../events/numbering.ts';
import { aboutOwners, livingPages, type Owners } from '../owners/living-owners.ts';
import { type OwnerStepOptions, OwnerSteps } from '../owners/owner-steps.ts';
import type { Orm } from '../tables/orm.ts';

/** Customers per statement. */
const PAGE = 1000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** A customer of an owner, as the driver returns it. */
interface CustomerOfOwner {
  readonly owner_id: Owner;
  readonly id: string;
}

/** Returns the statement that selects the next customers whose erasure is pending, by an index that has them alone. */
function pendingErasures(orm: Orm) {
  return aboutOwners<{ after: CustomerOfOwner }, CustomerOfOwner>(
    orm,
    (p, isAmong) => sql<CustomerOfOwner>`select owner_id, id from our.customers
      where erasure = 'pending' and (owner_id, id) > (${p('after', 'owner_id')}, ${p('after', 'id')}::uuid)
        and ${isAmong(sql`owner_id`)}
      order by owner_id, id limit ${sql.lit(PAGE)}`,
  );
}

/**
 * Continues the pending erasures of all owners until they are done, and returns how many it has finished. Each goes on in
 * batches, after which it pauses for three times as long as the batch took, and five seconds at most, so that other
 * requests have the database meanwhile. Meant to run every minute or so; several servers may. One that was interrupted
 * begins again, which does nothing twice. When `signal` is aborted, ends after the current batch.
 *
 * @param continueErasure the use case of a domain over this database
 * @throws {Error} the database query failed; completed batches stay erased
 */
export async function finishErasures<D extends OrderDefinition>(
  database: OrdersDatabase,
  continueErasure: Domain<D>['continueErasure'],
  signal?: AbortSignal,
  options: OwnerStepOptions = {},
): Promise<number> {
  const pending = pendingErasures(database.orm);
  const steps = new OwnerSteps(options);
  const isStopped = () => signal?.aborted === true;
  let finished = 0;

  const finish = async ({ owner_id: owner, id }: CustomerOfOwner): Promise<boolean> => {
    for (let after: VersionPosition | null = null; !isStopped();) {
      const begun = performance.now();
      const progress = await continueErasure(owner, id, after);
      if (progress.isErr()) {
        if (progress.error.type === 'unavailable') throw progress.error.cause;
        return false;
      }
      after = progress.value.next;
      if (after === null) return true;
      await sleep(backlogPauseMs(performance.now() - begun), undefined, { signal }).catch(() => undefined);
    }
    return false;
  };

  const finishAll = async (owners: Owners): Promise<void> => {
    for (let after: CustomerOfOwner = { owner_id: '', id: FIRST_ID }; !isStopped();) {
      const rows = await pending(database.primary, { after }, owners);
      for (const customer of rows)
        if (!isStopped() && (await steps.attempt(customer.owner_id, () => finish(customer)))) finished += 1;
      const last = rows.at(-1);
      if (rows.length < PAGE || !last) return;
      after = last;
    }
  };

  try {
    await finishAll(null);
  } catch (cause) {
    steps.leaveOutNode(cause);
    for await (const owners of livingPages(database, 'customers')) await finishAll(owners);
  }
  return finished;
}
