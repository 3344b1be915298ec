import type { Author } from './author.ts';
import type { Timestamp } from './clock.ts';
import type { IdSource, Owner } from './ids.ts';

/**
 * A change of an aggregate. Each accepted command records one event; a command that changes nothing records none.
 * Events contain no personal data: an external user id is opaque.
 */
export interface DomainEvent<Type extends string> extends Author {
  /** UUIDv7. */
  readonly id: string;
  readonly type: Type;
  readonly owner: Owner;
  readonly aggregate_id: string;
  /** Version that the command made; for a deletion, one more than the deleted version. */
  readonly version: number;
  readonly occurred_at: Timestamp;
  /** Names of the changed fields, without `version` and `updated_at`. */
  readonly changed: readonly string[];
}

/** The members of an event that a domain rule decides, before the change is stored. */
export type EventOutline<Type extends string> = Pick<DomainEvent<Type>, 'type' | 'changed'>;

/** The members of every aggregate that its events need. */
export interface Versioned {
  readonly id: string;
  readonly version: number;
  readonly updated_at: Timestamp;
}

/** Creates the event of a command of `author` whose result is `aggregate`. */
export function createEvent<Type extends string>(
  ids: IdSource,
  owner: Owner,
  { actor, external_user_id }: Author,
  { type, changed }: EventOutline<Type>,
  { id: aggregate_id, version, updated_at: occurred_at }: Versioned,
): DomainEvent<Type> {
  return { id: ids.next(), type, owner, aggregate_id, version, occurred_at, changed, actor, external_user_id };
}
