import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import { assertOwner, type Owner } from '../shared/ids.ts';
import { assertOptions } from '../shared/validation.ts';
import { PAGE_LIMIT_MAX } from '../shared/page.ts';
import { definitionOf, type EventFeed, type FeedPage } from './event-feed.ts';
import type { EventType, FeedInclude } from '../event-types.ts';
import { FeedLost } from './feed-lost.ts';
import type { FeedPosition } from './feed-position.ts';
import { type FeedQuery, type FeedStart, parseFeedQuery } from './feed-query.ts';
import { Retries, type RetryOptions, RETRY_PAUSES } from './retries.ts';
import { systemTimer } from './timer.ts';

/** Default of {@link FollowOptions.waitMs}. */
const WAIT_MS_DEFAULT = 20_000;

/** Minimum of {@link FollowOptions.waitMs}. */
const WAIT_MS_MIN = 1000;

/** A wait that ends earlier than this, in milliseconds, and without events, had too many others beside it. */
const SPURIOUS_MS = 250;

/** The pauses between such waits. */
const SPURIOUS_PAUSES = { ...RETRY_PAUSES, maxMs: 2000 };

/** Options of following a feed. `after` and `start: 'latest'` exclude each other. */
export interface FollowOptions<D extends OrderDefinition = DefaultDefinition> extends RetryOptions {
  /** The reader continues after this position. */
  readonly after?: FeedPosition | undefined;
  /** Default: `oldest`. */
  readonly start?: FeedStart | undefined;
  /** The accepted types. Default: every type. */
  readonly types?: readonly EventType<D>[] | undefined;
  /** With `resource`, each event has the resource at its version. Default: nothing. */
  readonly include?: readonly FeedInclude[] | undefined;
  /** Maximum time of one wait for events, in milliseconds: at least 1 s. Default: 20 s. */
  readonly waitMs?: number | undefined;
}

/** The members of {@link FollowOptions} but for `after`. */
export const FOLLOW_OPTIONS: readonly string[] = ['start', 'types', 'include', 'waitMs', 'signal', 'onRetry', 'timer'];

/**
 * Reads the feed of an owner page by page, and waits for events at its end, until `signal` is aborted. Returns each page
 * whose `next` is another one than that of the page before, also without events: a reader that stores `next` then never
 * expires behind a filter. Retries {@link Unavailable} after a pause. `types` are those of the definition of the feed.
 *
 * The iterator throws a {@link FeedLost} for `feed_reset` and `events_expired`.
 *
 * @throws {TypeError} the owner or an option is invalid
 */
export function followPages<D extends OrderDefinition>(
  feed: EventFeed<D>,
  owner: Owner,
  options: FollowOptions<D> = {},
): AsyncGenerator<FeedPage<D>, void, undefined> {
  assertOwner(owner);
  assertOptions(options, [...FOLLOW_OPTIONS, 'after']);
  const { waitMs = WAIT_MS_DEFAULT } = options;
  const query = parseFollowQuery<D>(options, definitionOf(feed));
  if (!(waitMs >= WAIT_MS_MIN))
    throw new TypeError(`the feed cannot be followed: waitMs must be at least ${WAIT_MS_MIN}, got ${waitMs}`);
  return pagesOf(feed, owner, query, waitMs, options);
}

/**
 * Returns the query for the first page of a reader: the largest one.
 *
 * @throws {TypeError} an option is invalid
 */
export function parseFollowQuery<D extends OrderDefinition>(
  { after, start, types, include }: Pick<FollowOptions<D>, 'after' | 'start' | 'types' | 'include'>,
  definition: OrderDefinition,
): FeedQuery<D>;
export function parseFollowQuery(
  { after, start, types, include }: Pick<FollowOptions<OrderDefinition>, 'after' | 'start' | 'types' | 'include'>,
  definition: OrderDefinition,
): FeedQuery {
  const query = parseFeedQuery<OrderDefinition>({ after, start, types, include, limit: PAGE_LIMIT_MAX }, definition);
  if (query.isOk()) return query.value;
  const faults = query.error.errors.map(({ field, message }) => `${field} ${message}`);
  throw new TypeError(`the feed cannot be followed: ${faults.join('; ')}`);
}

async function* pagesOf<D extends OrderDefinition>(
  feed: EventFeed<D>,
  owner: Owner,
  first: FeedQuery<D>,
  waitMs: number,
  options: RetryOptions,
): AsyncGenerator<FeedPage<D>, void, undefined> {
  const { signal, timer = systemTimer } = options;
  const failures = new Retries(options);
  const spurious = new Retries({ signal, timer }, SPURIOUS_PAUSES);
  let query = first;
  let waitedMs = Infinity;
  while (!failures.isOver()) {
    const page = await feed.read(owner, query);
    if (page.isErr()) {
      if (page.error.type !== 'unavailable') throw new FeedLost(page.error);
      await failures.pause(page.error.cause);
      continue;
    }
    failures.reset();
    const { next, caught_up } = page.value;
    const isNews = next.position !== query.after?.position;
    query = { ...query, after: next, start: 'oldest' };
    if (isNews) yield page.value;
    if (isNews || waitedMs >= SPURIOUS_MS) spurious.reset();
    else await spurious.pause(null);
    waitedMs = 0;
    if (!caught_up || failures.isOver()) continue;
    const since = timer.now();
    await feed.wait(owner, next.position, { timeoutMs: waitMs, signal });
    waitedMs = timer.now() - since;
  }
}
