import type { Timestamp } from '../shared/clock.ts';
import type { Metadata } from '../shared/metadata.ts';

/** The shortest email, in Unicode code points. */
export const EMAIL_LENGTH_MIN = 3;
/** The longest email, in Unicode code points (RFC 5321 section 4.5.3.1.3). */
export const EMAIL_LENGTH_MAX = 254;
/** The longest name, in Unicode code points. */
export const CUSTOMER_NAME_LENGTH_MAX = 255;

/** The aggregate: a buyer, whom orders may name. */
export interface Customer {
  /** UUIDv7, never reused. */
  readonly id: string;
  /** As it was sent; unique per owner whatever its case, see {@link emailKey}. */
  readonly email: string;
  readonly name: string | null;
  readonly metadata: Metadata;
  /** From 1, plus one with every accepted change. */
  readonly version: number;
  readonly created_at: Timestamp;
  /** Never runs backwards, whatever the clock does. */
  readonly updated_at: Timestamp;
}

/** The spelling that the uniqueness of an email is judged by: two emails are the same when theirs are. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
