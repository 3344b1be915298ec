import type { Executor } from '../postgres/executor.ts';
import type { FoundRecord, FoundRecords, PurgeRecords } from './purge-statements.ts';
import type { LockedBatch, PurgeRun } from './locked-batch.ts';

/** The time before all records. */
const BEGINNING = '-infinity';

/** The limits of a walk, as times of the database. */
export interface WalkLimits {
  /** Records up to this time are visited. */
  readonly until: string;
  /** Records up to this time have left the feed. */
  readonly feed: string;
}

/**
 * Visits records in the order of their times, and purges aggregates of the visited records. A walk continues where the
 * last one ended, so that each visits only what has become old since; after one that has passed over an owner, at that place.
 * One about some owners leaves this place as it is.
 */
export class RecordWalk {
  readonly #batch: LockedBatch;
  readonly #found: FoundRecords;
  readonly #purge: PurgeRecords;
  readonly #isPurged: (record: FoundRecord) => boolean;
  /** The time up to which records were visited, except those of owners that were passed over. */
  #after = BEGINNING;

  /** @param isPurged whether the aggregate of a visited record is purged */
  constructor(
    batch: LockedBatch,
    found: FoundRecords,
    purge: PurgeRecords,
    isPurged: (record: FoundRecord) => boolean = () => true,
  ) {
    this.#batch = batch;
    this.#found = found;
    this.#purge = purge;
    this.#isPurged = isPurged;
  }

  /** Makes the next walk visit all records. */
  restart(): void {
    this.#after = BEGINNING;
  }

  /** Walks up to the limits and returns the number of purged records. Ends early when another server purges. */
  async walk({ until, feed }: WalkLimits, run: PurgeRun): Promise<number> {
    let count = 0;
    let isComplete = run.owners === null;
    for (let after = this.#after; !run.signal?.aborted;) {
      const records = await this.#found(this.#batch.primary, { after, until }, run.owners);
      const last = records.at(-1);
      if (!last) break;
      for (const target of targetsOf(records.filter(this.#isPurged))) {
        const purgeBatch = async (transaction: Executor) =>
          (await this.#purge(transaction, { ...target, time: feed })).length;
        const purged = await this.#batch.repeat(target.owner_id, purgeBatch, run);
        count += purged?.count ?? 0;
        if (purged?.isComplete === false) return count;
        isComplete &&= purged !== undefined;
      }
      after = last.time;
      if (isComplete) this.#after = after;
    }
    return count;
  }
}

/** Returns the aggregates of records by owner and kind, each with its highest version and the position of that. */
function targetsOf(records: readonly FoundRecord[]) {
  const targets = new Map<string, { owner_id: string; aggregate: string; highest: Map<string, FoundRecord> }>();
  for (const record of records) {
    const { owner_id, aggregate, aggregate_id, version } = record;
    const group = `${aggregate} ${owner_id}`;
    const target = targets.get(group) ?? { owner_id, aggregate, highest: new Map<string, FoundRecord>() };
    if (version > (target.highest.get(aggregate_id)?.version ?? 0)) target.highest.set(aggregate_id, record);
    targets.set(group, target);
  }
  return [...targets.values()].map(({ owner_id, aggregate, highest }) => ({
    owner_id,
    aggregate,
    ids: [...highest.keys()],
    versions: [...highest.values()].map(({ version }) => version),
    positions: [...highest.values()].map(({ position }) => position ?? '0'),
  }));
}
