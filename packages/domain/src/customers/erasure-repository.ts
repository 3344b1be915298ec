import type { ResultAsync } from 'neverthrow';
import type { AggregateStore } from '../aggregates/aggregate-store.ts';
import type { Erasure } from './customer.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { ErasureEvent } from './erasure-kind.ts';

/** An erasure by email: of the customer who has the email, and of the orders of guests who gave it. */
export interface EmailErasure extends Erasure {
  /** UUIDv7. */
  readonly id: string;
  /** The {@link emailKey} of the email until the erasure is `done`, then `null`. */
  readonly email_key: string | null;
  /** Id of the customer who had the email when it was requested, and is erased with it. `null` for a guest. */
  readonly customer_id: string | null;
  readonly version: number;
  /** Time of the request. */
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
}

/** An erasure by email that is pending. */
export interface PendingErasure extends Pick<EmailErasure, 'id' | 'customer_id' | 'created_at'> {
  readonly email_key: string;
}

/** An erasure by email as a walk finds it. */
export interface FoundErasure extends PendingErasure {
  /** Whether the customer who had the email when it was requested, or the one who has it now, is not erased. */
  readonly isCustomerLeft: boolean;
}

/**
 * Port: stores erasures by email, with the guarantees of {@link AggregateStore}. They are created only; their end is no
 * version. No event enters the feed. The record of a key has the erasure as it is now, or none.
 */
export interface ErasureRepository extends AggregateStore<EmailErasure, ErasureEvent, never> {
  /** Returns at most {@link ERASING_MAX} erasures that are pending, each with whether a customer is left to erase. */
  findPending(owner: Owner): ResultAsync<readonly FoundErasure[], Unavailable>;

  /** Makes erasures `done`, and discards their emails. */
  finish(owner: Owner, ids: readonly string[]): ResultAsync<null, Unavailable>;

  /**
   * Keeps that an order is erased by email at a time, or the time at which it was kept last if that is later, so that it
   * can be erased again after a restore, when nothing has the email any more.
   */
  keepOrder(owner: Owner, id: string, erased_at: Timestamp): ResultAsync<null, Unavailable>;
}
