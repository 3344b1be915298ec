import type { Attempt } from '../load/client.ts';
import type { Load } from '../load/load.ts';
import { formatCounts, newTally, serverErrors, type Tally } from '../load/tally.ts';
import type { Stage } from '../stage.ts';
import { waitFor } from '../wait.ts';
import { feedContradictions } from './feed-contradictions.ts';
import { type Follower, startFollower } from './follower.ts';

/** Maximum time in which followers receive what was acknowledged before the end, in milliseconds. */
const CAUGHT_UP_MS = 60_000;

/** The followers of each owner. At most four of them may wait at a server. */
const KINDS = [
  { name: 'long waits', query: 'limit=100&wait=20', types: null },
  { name: 'small pages', query: 'limit=7&wait=1', types: null },
  { name: 'some types', query: 'limit=20&wait=5', types: ['order.placed', 'order.cancelled', 'customer.deleted'] },
] as const;

export interface FollowFeedsOptions {
  readonly urls: readonly string[];
  /** A key of each owner. */
  readonly apiKeys: readonly string[];
  /**
   * Whether a page that is caught up must have every change that was acknowledged before its request. Servers whose
   * clocks differ by more than two minutes may return it later. Default: `true`.
   */
  readonly readsOwnWrites?: boolean;
  /** Receives every request. */
  readonly observe?: (attempt: Attempt) => void;
}

/** The running followers of the feeds of all owners. */
export interface FeedFollowers {
  readonly tally: Tally;
  /**
   * Waits until all followers have received every acknowledged change, reads each feed once more from its beginning, and
   * checks that all have received the same. Call this when no change is under way.
   */
  finish(): Promise<void>;
}

/** Follows the feed of each owner by clients with different requests, until `finish` or the end of the scenario. */
export function followFeeds(
  stage: Stage,
  { ledger }: Pick<Load, 'ledger'>,
  { urls, apiKeys, readsOwnWrites = true, observe = () => undefined }: FollowFeedsOptions,
): FeedFollowers {
  const tally = newTally();
  const start = (apiKey: string, name: string, query: string, types: readonly string[] | null, targets = urls) =>
    startFollower({
      name: `owner ${apiKeys.indexOf(apiKey) + 1}, ${name}`,
      apiKey,
      urls: targets,
      query,
      types,
      acknowledged: ledger.acknowledgedBy(apiKey),
      readsOwnWrites,
      tally,
      observe,
      contradicts: (what) => stage.holds(false, 'the feed returns its events at once', what),
    });
  const followers = new Map(
    apiKeys.map((apiKey) => [apiKey, KINDS.map(({ name, query, types }) => start(apiKey, name, query, types))]),
  );
  const stop = async () => {
    await Promise.all([...followers.values()].flat().map((follower) => follower.stop()));
  };
  stage.atEnd(stop);

  return {
    tally,
    finish: async () => {
      for (const [apiKey, following] of followers) {
        following.push(...urls.map((url) => start(apiKey, `late at ${url}`, 'limit=100&wait=1', null, [url])));
      }
      await catchUp(stage, [...followers.values()].flat());
      await stop();
      let events = 0;
      for (const [apiKey, readers] of followers) {
        const acknowledged = ledger.acknowledgedBy(apiKey);
        for (const contradiction of feedContradictions(acknowledged, readers)) {
          stage.holds(
            false,
            'every reader of a feed receives each acknowledged change once, in one order',
            contradiction,
          );
        }
        events += acknowledged.length;
      }
      stage.figure('events of followers', `${events} of ${apiKeys.length} owners, ${tally.attempts} requests`);
      stage.figure('failures of followers', `${serverErrors(tally)} × 5xx, ${formatCounts(tally.broken)}`);
      stage.holds(events > 0, 'followers receive events', 'none');
    },
  };
}

async function catchUp(stage: Stage, followers: readonly Follower[]): Promise<void> {
  stage.progress('waiting for the followers');
  const behind = () => followers.filter((follower) => !follower.hasAll());
  // What is missing then is a contradiction.
  await waitFor('followers', CAUGHT_UP_MS, () => (behind().length === 0 ? true : undefined)).catch(() => undefined);
}
