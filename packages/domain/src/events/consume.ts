import type { ResultAsync } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { ORDERS } from '../orders/order-lifecycle.ts';
import type { Owner } from '../shared/ids.ts';
import { assertOptions } from '../shared/validation.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { assertConsumerName, type Checkpoints } from './checkpoints.ts';
import type { EventFeed } from './event-feed.ts';
import type { FeedEvent } from './feed-event.ts';
import { type FeedPosition, positionOf } from './feed-position.ts';
import { FOLLOW_OPTIONS, followPages, type FollowOptions } from './follow-pages.ts';
import { Retries, type RetryOptions } from './retries.ts';

/** Handles one event. An event whose handler throws or rejects is delivered again. */
export type EventHandler<D extends OrderDefinition = typeof ORDERS> = (event: FeedEvent<D>) => Promise<void> | void;

/** A consumer of the events of an owner. `start` has a meaning only without a checkpoint. */
export interface ConsumeOptions<D extends OrderDefinition = typeof ORDERS> extends Omit<FollowOptions<D>, 'after'> {
  readonly feed: EventFeed<D>;
  readonly checkpoints: Checkpoints;
  readonly owner: Owner;
  /** The name of the consumer: 1 to 255 printable ASCII characters. */
  readonly name: string;
  readonly handler: EventHandler<D>;
}

/** A consumer of the events of orders of a definition. */
export interface ConsumeOptionsOf<D extends OrderDefinition> extends ConsumeOptions<D> {
  readonly definition: D;
}

/**
 * Delivers the events of an owner to the handler, one at a time and in the order of their positions, until `signal` is
 * aborted. The checkpoint of the consumer is saved after each event, so that it continues there after a restart.
 *
 * Each event is delivered at least once: again after the handler throws, with pauses that grow up to 30 s, and again
 * after a restart before the checkpoint was saved. A handler that must skip an event returns without throwing. One
 * process at a time runs a consumer; two would deliver events twice. {@link consumeAll} shares the work between processes.
 *
 * Resolves after `signal` is aborted, and the running handler has ended. The default definition is {@link ORDERS}.
 *
 * @throws {FeedLost} the feed cannot be followed from the checkpoint
 * @throws {TypeError} the owner, the name or an option is invalid
 */
export async function consume<D extends OrderDefinition>(options: ConsumeOptionsOf<D>): Promise<void>;
export async function consume(options: ConsumeOptions): Promise<void>;
export async function consume<D extends OrderDefinition>(
  consumeOptions: ConsumeOptions<D> & Partial<Pick<ConsumeOptionsOf<D>, 'definition'>>,
): Promise<void> {
  assertOptions(consumeOptions, [...FOLLOW_OPTIONS, 'feed', 'checkpoints', 'owner', 'name', 'handler']);
  const { feed, checkpoints, owner, name, handler, ...followOptions } = consumeOptions;
  const options = { definition: ORDERS, ...followOptions };
  assertConsumerName(name);
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
