import type { Timestamp } from '../shared/clock.ts';
import type { Metadata } from '../shared/metadata.ts';

/** Minimum length of an email, in Unicode code points. */
export const EMAIL_LENGTH_MIN = 3;
/** Maximum length of an email, in Unicode code points (RFC 5321 section 4.5.3.1.3). */
export const EMAIL_LENGTH_MAX = 254;
/** Maximum length of a name, in Unicode code points. */
export const CUSTOMER_NAME_LENGTH_MAX = 255;

/** The aggregate of a customer, to whom orders may refer. It is immutable: every change creates a new value. */
export interface Customer {
  /** UUIDv7, never reused. */
  readonly id: string;
  /** Stored as it was sent, and unique per owner by its {@link emailKey}; `null` after an erasure. */
  readonly email: string | null;
  readonly name: string | null;
  readonly metadata: Metadata;
  /** Starts at 1 and increases by one with every accepted change. */
  readonly version: number;
  readonly created_at: Timestamp;
  /** Time of the last change. It never decreases, even if the clock runs backwards. */
  readonly updated_at: Timestamp;
  /** Time at which the erasure of the customer was recorded; `null` for one who is not erased. */
  readonly erased_at: Timestamp | null;
  /** The erasure of the customer; `null` without one. */
  readonly erasure: Erasure | null;
}

/** The erasure of a person's data. */
export interface Erasure {
  /** `pending` until the orders of the customer are erased, too. Until then earlier data may appear. */
  readonly status: 'pending' | 'done';
}

/** Returns whether a customer is erased, so that nothing more happens to it. */
export function isErased({ erased_at }: Customer): boolean {
  return erased_at !== null;
}

/**
 * Normalises an email for comparison: two emails are the same if their keys are equal, whatever their case and Unicode
 * composition. A store compares the keys, not the emails by a collation of its own.
 */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
