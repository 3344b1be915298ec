import { setTimeout as sleep } from 'node:timers/promises';
import type { Domain, OrderDefinition, Owner, Timestamp, VersionPosition } from '@orders/domain';
import { type RawBuilder, sql } from 'kysely';
import type { OrdersDatabase } from '../database.ts';
import { longPauseMs } from '../events/shared-runs.ts';
import { aboutOwners, livingPages, type Owners } from '../owners/living-owners.ts';
import { type OwnerStepOptions, OwnerSteps } from '../owners/owner-steps.ts';
import type { Orm } from '../tables/orm.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';

/** Customers per statement. */
const PAGE = 1000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** A customer who is erased. */
export interface ErasedCustomer {
  readonly owner_id: Owner;
  readonly id: string;
  readonly erased_at: Timestamp;
}

type Place = Pick<ErasedCustomer, 'owner_id' | 'id'>;

/** Returns the statement that selects the next customers of a condition, for which there is an index with them alone. */
function erasedStatement(orm: Orm, condition: RawBuilder<unknown>) {
  return aboutOwners<{ after: Place }, ErasedCustomer>(
    orm,
    (p, isAmong) => sql<ErasedCustomer>`select owner_id, id, erased_at from our.customers
      where ${condition} and (owner_id, id) > (${p('after', 'owner_id')}, ${p('after', 'id')}::uuid)
        and ${isAmong(sql`owner_id`)}
      order by owner_id, id limit ${sql.lit(PAGE)}`,
  );
}

/** Reads the customers of a statement, in the order of their owners and ids. */
async function* readErased(
  database: OrdersDatabase,
  statement: ReturnType<typeof erasedStatement>,
  owners: Owners,
): AsyncGenerator<ErasedCustomer> {
  for (let after: Place = { owner_id: '', id: FIRST_ID }; ;) {
    const rows = await statement(database.primary, { after }, owners);
    for (const row of rows) yield { ...row, erased_at: readTimestamp(row.erased_at) };
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return;
    after = last;
  }
}

/**
 * Reads the erased customers of all owners, so that a database that is restored from an earlier backup can erase them again.
 *
 * @throws {Error} the database query failed
 */
export function erasedCustomers(database: OrdersDatabase): AsyncGenerator<ErasedCustomer> {
  return readErased(database, erasedStatement(database.orm, sql`erased_at is not null`), null);
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
  const pending = erasedStatement(database.orm, sql`erasure = 'pending'`);
  const steps = new OwnerSteps(options);
  const isStopped = () => signal?.aborted === true;
  let finished = 0;

  const finish = async ({ owner_id: owner, id }: ErasedCustomer): Promise<boolean> => {
    for (let after: VersionPosition | null = null; !isStopped();) {
      const begun = performance.now();
      const progress = await continueErasure(owner, id, after);
      if (progress.isErr()) {
        if (progress.error.type === 'unavailable') throw progress.error.cause;
        return false;
      }
      after = progress.value.next;
      if (after === null) return true;
      await sleep(longPauseMs(performance.now() - begun), undefined, { signal }).catch(() => undefined);
    }
    return false;
  };

  const finishAll = async (owners: Owners): Promise<void> => {
    for await (const customer of readErased(database, pending, owners)) {
      if (isStopped()) return;
      if (await steps.attempt(customer.owner_id, () => finish(customer))) finished += 1;
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
