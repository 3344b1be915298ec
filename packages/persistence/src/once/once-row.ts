import { createHash } from 'node:crypto';
import type { Once, Order } from '@orders/domain';
import { type Snapshot, snapshotOf } from './snapshot.ts';

/** A key's record as SQL hands it out. */
export interface OnceRow {
  readonly fingerprint: string;
  readonly snapshot: Snapshot;
  readonly expires_at: string;
}

/** The values of a key's record, by column. */
export type OnceValues = Readonly<Record<string, string>>;

export function onceValues(once: Once, order: Order | null): OnceValues {
  return {
    key: once.key,
    fingerprint: digest(once),
    snapshot: JSON.stringify(snapshotOf(order)),
    created_at: once.now,
    expires_at: once.expires_at,
  };
}

/** A digest stands for the fingerprint, which may be as long as the command and hold personal data. */
export function digest(once: Once): string {
  return createHash('sha256').update(once.fingerprint).digest('base64url');
}
