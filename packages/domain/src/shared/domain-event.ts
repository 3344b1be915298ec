import type { Timestamp } from './clock.ts';
import type { Owner } from './ids.ts';

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
