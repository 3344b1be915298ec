import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { prepare } from '../sql/statement.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import { auditStatement } from './audit.ts';
import type { Auditing } from './operators.ts';

/** An owner whose requests are refused. */
export interface SuspendedOwner {
  readonly owner: Owner;
  readonly suspended_at: Timestamp;
}

/** The suspended owners in PostgreSQL. Every change is recorded with it, or not made. */
export interface SuspendedOwners {
  /** Returns the first 10,000, by owner. */
  list(): ResultAsync<readonly SuspendedOwner[], Unavailable>;
  /** Suspends an owner, or ends it. Returns whether that changed anything. */
  change(owner: Owner, suspended: boolean, at: Timestamp, by: Auditing): ResultAsync<boolean, Unavailable>;
}

/** Returns the suspended owners of this database. */
export function postgresSuspendedOwners(database: OrdersDatabase): SuspendedOwners {
  const { orm, primary } = database;
  const audit = auditStatement(orm);
  type Place = { readonly owner: Owner };
  const list = prepare<object, SuspendedOwner>(orm)`
      select owner, suspended_at from our.suspended_owners order by owner limit 10000`;
  const suspend = prepare<Place & { readonly at: Timestamp }, Place>(orm)`
      insert into our.suspended_owners (owner, suspended_at) values (${'owner'}, ${'at'}::timestamptz)
      on conflict (owner) do nothing returning owner`;
  const resume = prepare<Place, Place>(orm)`
      delete from our.suspended_owners where owner = ${'owner'} returning owner`;
  return {
    list: () =>
      orUnavailable(list(primary, {})).map((rows) =>
        rows.map(({ owner, suspended_at }) => ({ owner, suspended_at: readTimestamp(suspended_at) })),
      ),
    change: (owner, suspended, at, by) =>
      orUnavailable(
        primary.transaction(async (executor) => {
          const changed = suspended ? await suspend(executor, { owner, at }) : await resume(executor, { owner });
          if (changed.length === 0) return false;
          // Of no owner, so that it can be recorded while the node of the owner is down.
          await audit(executor, { ...by, action: suspended ? 'suspend_owner' : 'resume_owner', subject: owner });
          return true;
        }),
      ),
  };
}
