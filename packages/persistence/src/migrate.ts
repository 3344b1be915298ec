import { Migrator } from '@mikro-orm/migrations';
import type { Connected, Orm } from './database.ts';

/** Any number, the same in every server: who holds it migrates, the others wait. */
const LOCK = 7_204_117;

export async function migrate({ orm, primary }: Connected): Promise<void> {
  // The lock is held in a transaction of its own, so it ends with the connection whatever happens.
  await primary.transaction(async (transaction) => {
    await transaction.run(`select pg_advisory_xact_lock(${LOCK})`);
    await new Migrator(orm.em.fork()).up();
  });
}

export async function pendingMigrations(orm: Orm): Promise<readonly string[]> {
  const pending = await new Migrator(orm.em.fork()).getPending();
  return pending.map(({ name }) => name);
}
