import type { Timestamp } from './clock.ts';
import type { IdSource, Owner } from './ids.ts';

/**
 * What happened to an aggregate: one per accepted command, none for a command that changes nothing. No personal data.
 */
export interface DomainEvent<Type extends string> {
  /** UUIDv7. */
  readonly id: string;
  readonly type: Type;
  readonly owner: Owner;
  readonly aggregate_id: string;
  /** The aggregate's version after the command; for a deletion, the version that was deleted. */
  readonly version: number;
  readonly occurred_at: Timestamp;
  /** Names of the fields that the command changed, without `version` and `updated_at`. */
  readonly changed: readonly string[];
}

/** What a command did, before it is known to be stored: the part of its event that a rule decides. */
export type EventOutline<Type extends string> = Pick<DomainEvent<Type>, 'type' | 'changed'>;

/** Makes the event of a command that left `aggregate` behind, by default at the time of its last change. */
export function createEvent<Type extends string>(
  ids: IdSource,
  owner: Owner,
  { type, changed }: EventOutline<Type>,
  aggregate: { readonly id: string; readonly version: number; readonly updated_at: Timestamp },
  occurred_at: Timestamp = aggregate.updated_at,
): DomainEvent<Type> {
  const { id: aggregate_id, version } = aggregate;
  return { id: ids.next(), type, owner, aggregate_id, version, occurred_at, changed };
}
