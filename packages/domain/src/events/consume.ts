import type { ResultAsync } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { ORDERS } from '../orders/order-lifecycle.ts';
import { isOwner, type Owner } from '../shared/ids.ts';
import { assertOptions } from '../shared/validation.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { EventFeed } from './event-feed.ts';
import type { FeedEvent } from './feed-event.ts';
import { type FeedPosition, positionOf } from './feed-position.ts';
import { CONSUME_OPTIONS, followPages, type FollowOptions, type FollowOptionsOf } from './follow-pages.ts';
import { Retries, type RetryOptions } from './retries.ts';

/** Handles one event. An event whose handler throws or rejects is delivered again. */
export type EventHandler<D extends OrderDefinition = typeof ORDERS> = (event: FeedEvent<D>) => Promise<void> | void;

/** Options of a consumer. `start` has a meaning only for a consumer without a checkpoint. */
export type ConsumeOptions<D extends OrderDefinition = typeof ORDERS> = Omit<FollowOptions<D>, 'after'>;

/** Options of a consumer of events of orders of a definition. */
export type ConsumeOptionsOf<D extends OrderDefinition> = Omit<FollowOptionsOf<D>, 'after'>;

/**
 * Delivers the events of an owner to `handler`, one at a time and in the order of their positions, until `signal` is
 * aborted. The checkpoint of the consumer `name` is saved after each event, so that it continues there after a restart.
 *
 * Each event is delivered at least once: again after the handler throws, with pauses that grow up to 30 s, and again
 * after a restart before the checkpoint was saved. A handler that must skip an event returns without throwing. One
 * process at a time runs a consumer; two would deliver events twice.
 *
 * Resolves after `signal` is aborted, and the running handler has ended. The default definition is {@link ORDERS}.
 *
 * @throws {FeedLost} the feed cannot be followed from the checkpoint
 * @throws {TypeError} the owner, the name or an option is invalid
 */
export async function consume<D extends OrderDefinition>(
  feed: EventFeed<D>,
  checkpoints: Checkpoints,
  owner: Owner,
  name: string,
  handler: EventHandler<D>,
  options: ConsumeOptionsOf<D>,
): Promise<void>;
export async function consume(
  feed: EventFeed,
  checkpoints: Checkpoints,
  owner: Owner,
  name: string,
  handler: EventHandler,
  options?: ConsumeOptions,
): Promise<void>;
export async function consume(
  feed: EventFeed<OrderDefinition>,
  checkpoints: Checkpoints,
  owner: Owner,
  name: string,
  handler: EventHandler | EventHandler<OrderDefinition>,
  consumeOptions: Partial<ConsumeOptionsOf<OrderDefinition>> = {},
): Promise<void> {
  assertOptions(consumeOptions, CONSUME_OPTIONS);
  const options = { definition: ORDERS, ...consumeOptions };
  if (!isConsumerName(name)) throw new TypeError('the name of a consumer must be 1 to 255 printable ASCII characters');
  // Pages are read only after the first `next`, so this only validates.
  followPages<OrderDefinition>(feed, owner, options);
  const saved = await retry(() => checkpoints.load(owner, name), options);
  const start = saved === null ? options.start : undefined;
  const following = { ...options, after: saved ?? undefined, start };
  const save = (position: FeedPosition) => retry(() => checkpoints.save(owner, name, position), options);
  for await (const { data, next } of followPages<OrderDefinition>(feed, owner, following)) {
    let reached: number | null = null;
    for (const event of data) {
      if (!(await isHandled(event, widen(handler), options))) return;
      await save(positionOf(event));
      reached = event.position;
    }
    if (reached !== next.position) await save(next);
  }
}

/** Returns the handler itself. Its feed has only events of the definition that it expects. */
function widen(handler: object): EventHandler<OrderDefinition>;
function widen(handler: object): unknown {
  return handler;
}

/** Checks whether `input` is a valid name of a consumer: 1 to 255 printable ASCII characters, as an owner is. */
function isConsumerName(input: unknown): boolean {
  return isOwner(input);
}

/** Calls the handler until it succeeds; returns `false` if the signal is aborted before. */
async function isHandled(
  event: FeedEvent<OrderDefinition>,
  handler: EventHandler<OrderDefinition>,
  options: RetryOptions,
): Promise<boolean> {
  const failures = new Retries(options);
  while (!failures.isOver()) {
    try {
      await handler(event);
      return true;
    } catch (cause) {
      await failures.pause(cause);
    }
  }
  return false;
}

/** Calls a port until it succeeds, at least once; returns `null` if the signal is aborted before. */
async function retry<T>(call: () => ResultAsync<T, Unavailable>, options: RetryOptions): Promise<T | null> {
  const failures = new Retries(options);
  do {
    const result = await call();
    if (result.isOk()) return result.value;
    await failures.pause(result.error.cause);
  } while (!failures.isOver());
  return null;
}
