import { okAsync } from 'neverthrow';
import type { Checkpoints } from '../../events/checkpoints.ts';
import type { FeedPosition } from '../../events/feed-position.ts';
import { copy } from './copy.ts';

/** Creates the checkpoints of consumers in memory, for tests and small applications. */
export function inMemoryCheckpoints(): Checkpoints {
  const positions = new Map<string, FeedPosition>();
  const keyOf = (owner: string, name: string): string => JSON.stringify([owner, name]);
  return {
    load: (owner, name) => okAsync(copy(positions.get(keyOf(owner, name)) ?? null)),
    save: (owner, name, position) => {
      positions.set(keyOf(owner, name), copy(position));
      return okAsync(undefined);
    },
  };
}
