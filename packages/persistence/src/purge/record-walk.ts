import type { AggregateName } from '../changes/change-entity.ts';
import { BATCH, BEGINNING, type FindRecords, type Place, type PurgeRecords } from './purge-statements.ts';
import type { LockedBatch } from './locked-batch.ts';

/** The records that a walk visits, and the statement that purges those of one owner's aggregates. */
export interface WalkSteps {
  readonly find: FindRecords;
  readonly purge: PurgeRecords;
  /** The kinds of aggregates to purge. Default: all. */
  readonly only?: AggregateName;
}

/** The limits of a walk, as times of the database. */
export interface WalkLimits {
  /** Records up to this time are visited. */
  readonly until: string;
  /** Records up to this time have left the feed. */
  readonly feed: string;
}

/**
 * Visits records in the order of their times, and purges aggregates of the visited records. A walk continues where the
 * last one ended, so that each visits only what has become old since.
 */
export class RecordWalk {
  readonly #steps: WalkSteps;
  readonly #batch: LockedBatch;
  #place: Place = BEGINNING;

  constructor(batch: LockedBatch, steps: WalkSteps) {
    this.#batch = batch;
    this.#steps = steps;
  }

  /** Makes the next walk visit all records. */
  restart(): void {
    this.#place = BEGINNING;
  }

  /** Walks up to the limits and returns the number of purged records. Ends early when another server purges. */
  async walk({ until, feed }: WalkLimits, signal: AbortSignal | undefined): Promise<number> {
    let count = 0;
    while (!signal?.aborted) {
      const places = await this.#steps.find(this.#batch.primary, { place: this.#place, limit: { time: until } });
      for (const target of targetsOf(places, this.#steps.only)) {
        const purge = this.#steps.purge;
        const { count: purged, isComplete } = await this.#batch.repeat(
          (transaction) => purge(transaction, { target, limit: { time: feed } }),
          signal,
        );
        count += purged;
        if (!isComplete) return count;
      }
      this.#place = places.at(-1) ?? this.#place;
      if (places.length < BATCH) break;
    }
    return count;
  }
}

/** Returns the aggregates of records by owner and kind, each with its highest version. */
function targetsOf(places: readonly Place[], only: AggregateName | undefined) {
  const targets = new Map<string, { owner_id: string; aggregate: AggregateName; highest: Map<string, number> }>();
  for (const { owner_id, aggregate, aggregate_id, version } of places) {
    if (aggregate === '' || (only !== undefined && aggregate !== only)) continue;
    const group = `${aggregate} ${owner_id}`;
    const target = targets.get(group) ?? { owner_id, aggregate, highest: new Map<string, number>() };
    target.highest.set(aggregate_id, Math.max(version, target.highest.get(aggregate_id) ?? 0));
    targets.set(group, target);
  }
  return [...targets.values()].map(({ owner_id, aggregate, highest }) => ({
    owner_id,
    aggregate,
    ids: [...highest.keys()],
    versions: [...highest.values()],
  }));
}
