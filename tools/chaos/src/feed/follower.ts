import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attempt, isResetOfReused } from '../load/client.ts';
import { exchange } from '../load/exchange.ts';
import { count, type Tally } from '../load/tally.ts';
import { type FeedReader, isOfTypes } from './feed-contradictions.ts';
import { readEventPage, type ReceivedEvent } from './received-event.ts';

/** Maximum duration of a request, which may wait for 20 seconds, in milliseconds. */
const ATTEMPT_MS = 40_000;

/** The pause after a response that is no page, in milliseconds. */
const PAUSE_MS = 50;

export interface FollowerOptions {
  readonly name: string;
  readonly apiKey: string;
  /** The targets of requests; each attempt uses the next one. */
  readonly urls: readonly string[];
  /** The parameters of each request besides `after` and `types`. */
  readonly query: string;
  readonly types: readonly string[] | null;
  /** The acknowledged changes of the owner, in the order of their acknowledgements, which grow. */
  readonly acknowledged: readonly string[];
  /** Whether a page that is caught up must have every change that was acknowledged before its request. */
  readonly readsOwnWrites: boolean;
  readonly tally: Tally;
  readonly observe: (attempt: Attempt) => void;
  /** Receives what the feed must not have returned. */
  readonly contradicts: (what: string) => void;
}

/** A client that follows the feed of an owner from its beginning until it is stopped. */
export interface Follower extends FeedReader {
  /** Returns whether it has received as many events as changes were acknowledged. */
  readonly hasAll: () => boolean;
  /** Breaks off its request, and resolves when it has ended. */
  readonly stop: () => Promise<void>;
}

export function startFollower(options: FollowerOptions): Follower {
  const { name, apiKey, urls, query, types, acknowledged, tally, observe } = options;
  const agent = new Agent({ keepAlive: true });
  const headers = { 'x-api-key': apiKey };
  const events: ReceivedEvent[] = [];
  const received = new Set<string>();
  const path = `/v1/events?${query}${types === null ? '' : `&types=${types.join()}`}`;
  let [isStopped, turn, proven] = [false, 0, 0];

  /** Checks that a page that is caught up is not behind the first `length` acknowledged changes. */
  const prove = (length: number): void => {
    const late = acknowledged
      .slice(proven, length)
      .find((change) => isOfTypes({ types }, change) && !received.has(change));
    if (late !== undefined) options.contradicts(`${name} has caught up without ${late}, which was acknowledged before`);
    proven = length;
  };

  const follow = async (): Promise<void> => {
    let [cursor, afterReset] = ['', false];
    while (!isStopped) {
      const known = acknowledged.length;
      const url = urls[(turn += 1) % urls.length] ?? '';
      const request = { method: 'GET', path: cursor === '' ? path : `${path}&after=${cursor}`, headers } as const;
      const exchanged = await exchange(agent, url, request, ATTEMPT_MS);
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- `stop` was called meanwhile
      if (isStopped) return;
      count(tally, exchanged);
      observe({ request, url, exchanged, afterReset });
      afterReset = isResetOfReused(exchanged);
      if (afterReset) continue;
      const page = 'status' in exchanged && exchanged.status === 200 ? readEventPage(exchanged.body) : undefined;
      if (!page) {
        if ('status' in exchanged && exchanged.status !== 503)
          options.contradicts(`${exchanged.status} to ${name}: ${exchanged.text.slice(0, 300)}`);
        await sleep(PAUSE_MS);
        continue;
      }
      events.push(...page.events);
      for (const { change } of page.events) received.add(change);
      cursor = page.cursor;
      if (page.caughtUp && options.readsOwnWrites) prove(known);
    }
  };

  const ended = follow().catch((cause: unknown) => options.contradicts(`${name} failed: ${String(cause)}`));
  return {
    name,
    types,
    events,
    hasAll: () => received.size >= acknowledged.filter((change) => isOfTypes({ types }, change)).length,
    stop: async () => {
      isStopped = true;
      agent.destroy();
      await ended;
    },
  };
}
