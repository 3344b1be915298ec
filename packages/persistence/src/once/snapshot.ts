import type { Order } from '@orders/domain';

/** What a write left, as it is recorded with its key. */
export interface Snapshot {
  /** Rises when the shape of what follows changes, so that records of an earlier release can still be read. */
  readonly format: 1;
  /** The order after the write; `null` when the write deleted it. */
  readonly order: Order | null;
}

export function snapshotOf(order: Order | null): Snapshot {
  return { format: 1, order };
}
