import type { DomainEvent, Owner } from '@orders/domain';
import type { OrdersDatabase } from '@orders/persistence';

/** Returns the recorded events of `owner`, in the order of their times. */
export async function recordedEvents({ orm }: OrdersDatabase, owner: Owner): Promise<DomainEvent<string>[]> {
  const rows = await orm.em
    .getKysely()
    .withSchema('orders')
    .selectFrom('changes')
    .selectAll()
    .where('owner_id', '=', owner)
    .orderBy('occurred_at')
    .orderBy('version')
    .orderBy('event_id')
    .execute();
  return toEvents(rows);
}

/** A row of the change records; those whose event was purged have no event. */
export interface ChangeRow extends Pick<DomainEvent<string>, 'version' | 'aggregate_id' | 'changed' | 'actor'> {
  readonly owner_id: string;
  readonly event_id: string | null;
  readonly type: string | null;
  readonly occurred_at: string | Date;
}

/** Returns the events of change records. */
export function toEvents(rows: readonly ChangeRow[]): DomainEvent<string>[] {
  return rows.flatMap(({ event_id: id, type, ...row }) => {
    if (id === null || type === null) return [];
    const { owner_id, aggregate_id, version, changed, actor } = row;
    const occurred_at = new Date(row.occurred_at).toISOString();
    return [{ id, type, owner: owner_id, aggregate_id, version, occurred_at, changed, actor }];
  });
}
