import type { Timestamp } from './clock.ts';
import type { IdSource, Owner } from './ids.ts';

/**
 * A change of an aggregate. Each accepted command records one event; a command that changes nothing records none.
 * Events contain no personal data.
 */
export interface DomainEvent<Type extends string> {
  /** UUIDv7. */
  readonly id: string;
  readonly type: Type;
  readonly owner: Owner;
  readonly aggregate_id: string;
  /** Version of the aggregate after the command; for a deletion, the deleted version. */
  readonly version: number;
  readonly occurred_at: Timestamp;
  /** Names of the changed fields, without `version` and `updated_at`. */
  readonly changed: readonly string[];
}

/** The members of an event that a domain rule decides, before the change is stored. */
export type EventOutline<Type extends string> = Pick<DomainEvent<Type>, 'type' | 'changed'>;

/** Creates the event of a command whose result is `aggregate`. Default of `occurred_at`: its last change. */
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
