import { laterTimestamp, type Timestamp } from './clock.ts';
import { type IdSource, isActor, type Owner } from './ids.ts';
import type { WriteOptions } from './idempotency.ts';

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
  /** Version of the aggregate after the command; for a deletion, one more than the deleted version. */
  readonly version: number;
  readonly occurred_at: Timestamp;
  /** Names of the changed fields, without `version` and `updated_at`. */
  readonly changed: readonly string[];
  /** The credential that made the change; `null` if unknown. See {@link WriteOptions.actor}. */
  readonly actor: string | null;
}

/** The members of an event that a domain rule decides, before the change is stored. */
export type EventOutline<Type extends string> = Pick<DomainEvent<Type>, 'type' | 'changed'>;

/** The members of every aggregate that its events need. */
interface Aggregate {
  readonly id: string;
  readonly version: number;
  readonly updated_at: Timestamp;
}

/**
 * Creates the event of a command whose result is `aggregate`.
 *
 * @throws {TypeError} if `options.actor` is invalid
 */
export function createEvent<Type extends string>(
  ids: IdSource,
  owner: Owner,
  { type, changed }: EventOutline<Type>,
  { id: aggregate_id, version, updated_at: occurred_at }: Aggregate,
  options: WriteOptions,
): DomainEvent<Type> {
  return { id: ids.next(), type, owner, aggregate_id, version, occurred_at, changed, actor: actorOf(options) };
}

/**
 * Creates the event of the deletion of `aggregate` at the time `now`, which counts as a further version.
 *
 * @throws {TypeError} if `options.actor` is invalid
 */
export function createDeletionEvent<Type extends string>(
  ids: IdSource,
  owner: Owner,
  type: Type,
  { id, version, updated_at }: Aggregate,
  now: Timestamp,
  options: WriteOptions,
): DomainEvent<Type> {
  const deleted = { id, version: version + 1, updated_at: laterTimestamp(updated_at, now) };
  return createEvent(ids, owner, { type, changed: [] }, deleted, options);
}

/** Returns the actor of a write. An invalid one is a bug of the caller; the message omits its value. */
function actorOf({ actor }: WriteOptions): string | null {
  if (actor === undefined) return null;
  if (isActor(actor)) return actor;
  throw new TypeError('the actor must be a string of 1 to 255 printable ASCII characters');
}
