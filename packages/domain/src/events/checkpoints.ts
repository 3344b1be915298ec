import type { ResultAsync } from 'neverthrow';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { FeedPosition } from './feed-position.ts';

/**
 * Port: stores how far each consumer has handled the events of an owner. A consumer has a name of 1 to 255 printable
 * ASCII characters.
 */
export interface Checkpoints {
  /** Returns the last saved position of a consumer, or `null` if it has none. */
  load(owner: Owner, name: string): ResultAsync<FeedPosition | null, Unavailable>;

  /** Saves the position of a consumer, in place of an earlier one. */
  save(owner: Owner, name: string, position: FeedPosition): ResultAsync<void, Unavailable>;
}
