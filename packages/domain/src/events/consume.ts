import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { Owner } from '../shared/ids.ts';
import { valueOf } from '../shared/unavailable.ts';
import { assertOptions } from '../shared/validation.ts';
import { assertConsumerName, type Checkpoints } from './checkpoints.ts';
import type { EventFeed, FeedPage } from './event-feed.ts';
import type { FeedEvent } from './feed-event.ts';
import { type FeedPosition, isSamePosition, positionOf } from './feed-position.ts';
import { followCheckpoint } from './follow-checkpoint.ts';
import { FOLLOW_OPTIONS, type FollowOptions } from './follow-pages.ts';
import { Retries } from './retries.ts';

/** Handles one event. An event whose handler throws or rejects is delivered again. */
export type EventHandler<D extends OrderDefinition = DefaultDefinition> = (event: FeedEvent<D>) => Promise<void> | void;

/** A consumer of the events of an owner. `start` has a meaning only without a checkpoint. */
export interface ConsumeOptions<D extends OrderDefinition = DefaultDefinition> extends Omit<FollowOptions<D>, 'after'> {
  readonly feed: EventFeed<D>;
  readonly checkpoints: Checkpoints;
  readonly owner: Owner;
  /** The name of the consumer: 1 to 255 printable ASCII characters. */
  readonly name: string;
  readonly handler: EventHandler<D>;
}

/**
 * Delivers the events of an owner to the handler, one at a time and in the order of their positions, until `signal` is
 * aborted. The checkpoint of the consumer is saved after each event, so that it continues there after a restart.
 *
 * Each event is delivered at least once: again after the handler throws, with pauses that grow up to 30 s, and again
 * after a restart before the checkpoint was saved. A handler that must skip an event returns without throwing. One
 * process at a time runs a consumer; two would deliver events twice. {@link consumeAll} shares the work between processes.
 *
 * When feed and checkpoints go back to an earlier time together, as by a restore, it goes on from the restored checkpoint.
 *
 * Resolves after `signal` is aborted, and the running handler has ended. `types` are those of the definition of the feed.
 *
 * @throws {FeedLost} the feed cannot be followed from the checkpoint
 * @throws {TypeError} the owner, the name or an option is invalid
 */
export async function consume<D extends OrderDefinition>(options: ConsumeOptions<D>): Promise<void> {
  assertOptions(options, [...FOLLOW_OPTIONS, 'feed', 'checkpoints', 'owner', 'name', 'handler']);
  const { feed, checkpoints, owner, name, handler, ...following } = options;
  assertConsumerName(name);
  const loadOnce = () => valueOf(checkpoints.load(owner, name));
  const load = async () => (await new Retries(options).until(loadOnce))?.result;
  /** Runs a step until it succeeds. Returns `false` if the signal is aborted before, or the checkpoint is elsewhere. */
  const attempt = async (reached: FeedPosition | null, step: () => Promise<void>): Promise<boolean> => {
    const failures = new Retries(options);
    for (;;) {
      try {
        await step();
        return true;
      } catch (cause) {
        await failures.pause(cause);
      }
      if (failures.isOver()) return false;
      // The store that failed may be back as it was earlier. A save whose response was lost has moved the checkpoint, too.
      const saved = await checkpoints.load(owner, name);
      if (saved.isOk() && !isSamePosition(saved.value, reached)) return false;
    }
  };
  const take = async ({ data, next }: FeedPage<D>, after: FeedPosition | null): Promise<boolean> => {
    let reached = after;
    const save = (position: FeedPosition) => valueOf(checkpoints.save(owner, name, position));
    for (const event of data) {
      if (options.signal?.aborted) return false;
      if (!(await attempt(reached, async () => await handler(event)))) return false;
      const position = positionOf(event);
      if (!(await attempt(reached, () => save(position)))) return false;
      reached = position;
    }
    return isSamePosition(reached, next) || (await attempt(reached, () => save(next)));
  };
  await followCheckpoint(feed, owner, following, { load, take });
}
