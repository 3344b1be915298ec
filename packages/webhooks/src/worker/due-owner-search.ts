import type { Owner } from '@orders/domain';
import type { Timer } from '@orders/domain/events';
import type { DueOwners } from '@orders/domain/webhooks';

/** Maximum number of endpoints that one query covers, and of owners that it returns. */
const ENDPOINTS_PER_QUERY = 1000;

/** Minimum pause after a query that is continued, as a multiple of its duration: the search takes a twentieth of the time. */
const PAUSE_PER_QUERY = 19;

/** What a search for owners with due deliveries works with. */
interface DueOwnerSearch {
  readonly timer: Timer;
  /** Time between two searches, in milliseconds; it varies by a quarter. */
  readonly pollMs: number;
  /** Ends the search. */
  readonly signal: AbortSignal;
  /** Whether the owners that a query may find can wait. Without room, the search pauses. */
  readonly hasRoomFor: (owners: number) => boolean;
  /** Returns owners behind another one, `null` if the store failed: the search then begins again. */
  readonly findDue: (endpoints: number, after: Owner | null) => Promise<DueOwners | null>;
  /** Receives the owners that a query has found. */
  readonly onFound: (owners: readonly Owner[]) => void;
  /** Receives the number of owners that a whole search has found. */
  readonly onEnd: (owners: number) => void;
}

/** Finds owners with due deliveries, again and again, until `signal` is aborted. */
export async function searchDueOwners({
  timer,
  pollMs,
  signal,
  hasRoomFor,
  findDue,
  onFound,
  onEnd,
}: DueOwnerSearch): Promise<void> {
  let after: Owner | null = null;
  let count = 0;
  while (!signal.aborted) {
    let pauseMs = pollMs * (0.75 + timer.random() / 2);
    if (hasRoomFor(ENDPOINTS_PER_QUERY)) {
      const began = timer.now();
      const found: DueOwners | null = await findDue(ENDPOINTS_PER_QUERY, after);
      const owners = found?.owners ?? [];
      onFound(owners);
      count += owners.length;
      after = found?.next ?? null;
      if (after !== null) pauseMs = Math.min(pauseMs, (timer.now() - began) * PAUSE_PER_QUERY);
      else if (found) onEnd(count);
      if (after === null) count = 0;
    }
    await timer.pause(pauseMs, signal);
  }
}
