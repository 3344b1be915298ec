import type { ResultAsync } from 'neverthrow';
import type { DefaultDefinition, Definition } from './definition.ts';
import type { ReadEventsError } from './errors.ts';
import { PROBLEMS } from './generated/problems.ts';
import { elementsOf, RequestFailed } from './listing.ts';
import type { RequestOptions } from './options.ts';
import type { EventPage, EventType, OrdersEvent } from './schemas.ts';
import { assertOptions, FOLLOW_OPTIONS } from './calls/known-options.ts';
import { uncheckedCast } from './calls/unchecked-cast.ts';
import { backoffMs } from './transport/retries.ts';
import type { Call } from './transport/send.ts';
import type { Settings } from './transport/settings.ts';
import { read } from './transport/writes.ts';

/** Options of following the feed. `after` and `start: 'latest'` exclude each other. */
export interface FollowOptions<D extends Definition = DefaultDefinition> extends RequestOptions {
  /** Continues after this cursor, the `next_cursor` of a page. */
  readonly after?: string | undefined;
  /** Where to start without a cursor: before the oldest event, or after the latest. Default: `oldest`. */
  readonly start?: 'oldest' | 'latest' | undefined;
  /** The accepted types. Default: every type. */
  readonly types?: readonly EventType<D>[] | undefined;
  /** With `resource`, each event has the resource at its version. Default: nothing. */
  readonly include?: readonly 'resource'[] | undefined;
}

/** A query for a page of events. */
export interface EventQuery<D extends Definition = DefaultDefinition> extends FollowOptions<D> {
  /** Maximum number of events, 1 to 100. Default: 20. */
  readonly limit?: number | undefined;
}

/** The operations on events. */
export interface Events<D extends Definition = DefaultDefinition> {
  /**
   * Returns one page of events, oldest first.
   *
   * @example
   * const page = await orders.events.page({ start: 'latest' });
   */
  readonly page: (query?: EventQuery<D>) => ResultAsync<EventPage<D>, ReadEventsError>;

  /**
   * Follows the events, waits for new ones at the end, and continues after failures of the network until the signal is aborted.
   *
   * @example
   * for await (const event of orders.events.follow({ start: 'latest', signal })) console.log(event.type);
   */
  readonly follow: (options?: FollowOptions<D>) => AsyncIterable<OrdersEvent<D>>;

  /**
   * Follows the events page by page, each with the cursor to store once its events are handled.
   *
   * @example
   * for await (const { data, next_cursor } of orders.events.followPages({ after, signal })) {
   *   await store(data, next_cursor);
   * }
   */
  readonly followPages: (options?: FollowOptions<D>) => AsyncIterable<EventPage<D>>;
}

/** Longest wait for events that the server allows, in seconds. */
const WAIT_SECONDS = 20;
const LIMIT_MAX = 100;
/** A wait that ends earlier than this without events had too many others beside it, in milliseconds. */
const SPURIOUS_MS = 250;

interface SentEvents<D extends Definition> {
  readonly data: readonly OrdersEvent<D>[];
  readonly page: { readonly next_cursor: string; readonly caught_up: boolean };
}

/** Binds the operations on events to a server. */
export function bindEvents<D extends Definition>(settings: Settings): Events<D> {
  const { timer } = settings;
  const readEvents = (query: Call['query'], options: Pick<Call, 'signal' | 'retries' | 'waitMs'>) =>
    read<ReadEventsError>(settings, { path: '/events', query, isList: true, ...options }, PROBLEMS.list_events).map(
      (body): EventPage<D> => {
        const { data, page } = uncheckedCast<SentEvents<D>>(body);
        return { data, next_cursor: page.next_cursor, caught_up: page.caught_up };
      },
    );

  async function* followPages(options: FollowOptions<D> = {}): AsyncGenerator<EventPage<D>, void, undefined> {
    assertOptions(options, FOLLOW_OPTIONS);
    const { signal, after, start, ...filter } = options;
    let cursor = after;
    let failures = 0;
    while (signal?.aborted !== true) {
      const since = timer.now();
      const position =
        cursor === undefined ? { start } : { after: cursor, start: after === cursor ? start : undefined };
      const query = { ...filter, ...position, limit: LIMIT_MAX, wait: WAIT_SECONDS };
      // It retries without end, and so needs no retries below.
      const page = await readEvents(query, { signal, retries: 0, waitMs: WAIT_SECONDS * 1000 });
      if (page.isOk()) {
        const isNews = page.value.next_cursor !== cursor;
        cursor = page.value.next_cursor;
        if (isNews) yield page.value;
        const isSpurious = !isNews && page.value.caught_up && timer.now() - since < SPURIOUS_MS;
        failures = isSpurious ? failures + 1 : 0;
        if (isSpurious) await timer.pause(backoffMs(failures, timer), signal);
        continue;
      }
      const { error } = page;
      if (error.type !== 'unreachable' && error.type !== 'rate_limited') throw new RequestFailed(error);
      const requested = error.type === 'rate_limited' ? (error.retry_after_ms ?? 0) : 0;
      await timer.pause(requested + backoffMs(failures, timer), signal);
      failures += 1;
    }
  }

  return {
    page: ({ signal, ...query } = {}) => readEvents(query, { signal }),
    follow: (options) => elementsOf(followPages(options), options?.signal),
    followPages,
  };
}
