/** What a write left, as it is recorded with its key. */
export interface Snapshot {
  /** Rises when the shape of what follows changes, so that records of an earlier release can still be read. */
  readonly format: 1;
  /** The aggregate after the write; `null` when the write deleted it, and once it is forgotten. */
  readonly aggregate: unknown;
}

export function snapshotOf(aggregate: unknown): Snapshot {
  return { format: 1, aggregate };
}
