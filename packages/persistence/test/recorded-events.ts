import type { DomainEvent, Owner } from '@orders/domain';
import type { Database } from '@orders/persistence';

/** Returns the outbox of `owner`, in the order of insertion. */
export async function recordedEvents({ orm }: Database, owner: Owner): Promise<DomainEvent<string>[]> {
  const rows = await orm.em
    .getKysely()
    .selectFrom('outbox')
    .selectAll()
    .where('owner_id', '=', owner)
    .orderBy('occurred_at')
    .orderBy('version')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    type: row.type,
    owner: row.owner_id,
    aggregate_id: row.aggregate_id,
    version: row.version,
    occurred_at: new Date(row.occurred_at).toISOString(),
    changed: row.changed,
  }));
}
