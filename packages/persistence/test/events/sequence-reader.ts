import { createHash } from 'node:crypto';
import type { EventFeed, FeedPosition } from '@orders/domain/events';
import { readPage } from '../fixtures/reading.ts';

/** The sequence of events that a reader has received. */
interface ReadSequence {
  readonly count: number;
  /** The last version of each aggregate. */
  readonly versions: ReadonlyMap<string, number>;
  /** The hash of all positions and ids. */
  readonly hash: string;
}

/** A reader that checks the order of what it receives, and keeps little of it. */
export interface SequenceReader {
  readonly sequence: Promise<ReadSequence>;
  /** The time of its last event; `null` before the first one. */
  lastAt(): string | null;
}

/** The longest wait between two reads, in milliseconds. */
const WAIT_MS = 1000;

/** Reads that fail one after the other. More are no fault of a session. */
const FAILURES_MAX = 100;

/**
 * Reads the feed of an owner by pages of `limit`, until `isWritten` is true before a read that has caught up. A read that
 * the database failed is repeated.
 *
 * Its sequence is rejected with an error when a position or a version is not the next one.
 */
export function readSequence(feed: EventFeed, owner: string, limit: number, isWritten: () => boolean): SequenceReader {
  const hash = createHash('sha256');
  const versions = new Map<string, number>();
  let count = 0;
  let failures = 0;
  let lastAt: string | null = null;
  const read = async (): Promise<ReadSequence> => {
    for (let after: FeedPosition | undefined; ;) {
      const isLast = isWritten();
      const page = await readPage(feed, owner, { after, limit });
      if (page.isErr()) {
        failures += 1;
        const isLost = page.error.type !== 'unavailable' || failures > FAILURES_MAX;
        if (isLost) throw new Error(`the reader at ${count} received ${page.error.type}`, { cause: page.error });
        continue;
      }
      failures = 0;
      const { data, next, caught_up } = page.value;
      for (const { id, position, resource, occurred_at } of data) {
        const version = (versions.get(resource.id) ?? 0) + 1;
        if (position !== count + 1) throw new Error(`position ${position} follows ${count}`);
        if (resource.version !== version) throw new Error(`version ${resource.version} came instead of ${version}`);
        versions.set(resource.id, version);
        hash.update(`${position} ${id}\n`);
        count = position;
        lastAt = occurred_at;
      }
      after = next;
      // What was acknowledged before a read has begun is in it.
      if (isLast && caught_up) return { count, versions, hash: hash.digest('hex') };
      if (caught_up) await feed.wait(owner, next.position, { timeoutMs: WAIT_MS });
    }
  };
  return { sequence: read(), lastAt: () => lastAt };
}
