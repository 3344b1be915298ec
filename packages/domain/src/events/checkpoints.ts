import type { ResultAsync } from 'neverthrow';
import type { Owner } from '../shared/ids.ts';
import { isOwner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { FeedWaitOptions } from './event-feed.ts';
import type { FeedPosition } from './feed-position.ts';

/** Time for which a claim holds without a save, in milliseconds. */
export const CLAIM_MS = 60_000;

/** Maximum number of owners of a page. */
export const OWNERS_PAGE_MAX = 1000;

/**
 * Port: stores how far each consumer has handled the events of an owner. A consumer has a name of 1 to 255 printable
 * ASCII characters.
 */
export interface Checkpoints {
  /** Returns the last saved position of a consumer, or `null` if it has none. */
  load(owner: Owner, name: string): ResultAsync<FeedPosition | null, Unavailable>;

  /** Saves the position of a consumer, in place of an earlier one. Ends a claim. */
  save(owner: Owner, name: string, position: FeedPosition): ResultAsync<void, Unavailable>;
}

/** The claim of one process on the events of an owner, for one consumer. */
export interface Claim {
  /** Increases with each claim, so that the saves of an earlier one fail. */
  readonly fence: number;
  /** The last saved position; `null` if there is none. */
  readonly position: FeedPosition | null;
}

/** A page of owners in the order of their characters. */
export interface OwnersPage {
  /** At most {@link OWNERS_PAGE_MAX}. May be empty although further ones follow. */
  readonly owners: readonly Owner[];
  /** The next page begins after this owner. `null` at the end. */
  readonly next: Owner | null;
}

/** What is known of the writes since a state of the store. */
export interface StoreChanges {
  /** The state for the next wait. Opaque. */
  readonly state: string;
  /** Owners that this process has written for. `null` if others may have changes, too, so that a search finds them. */
  readonly owners: readonly Owner[] | null;
}

/**
 * Port: the checkpoints of consumers of all owners, which processes share, and the owners that have events. The calls about
 * all owners read a bounded number of rows each. They leave out owners whose part of the store does not respond.
 */
export interface OwnerCheckpoints extends Checkpoints {
  /**
   * Claims an owner for {@link CLAIM_MS}, by the clock of the store. Returns `null` while another claim holds. A response
   * that was lost leaves a claim that expires.
   */
  claim(owner: Owner, name: string): ResultAsync<Claim | null, Unavailable>;

  /**
   * Saves the position of a consumer and renews its claim. Returns `false` and saves nothing if the claim has ended: it was
   * released, or another claim or a {@link Checkpoints.save} came after it.
   */
  saveClaimed(owner: Owner, name: string, fence: number, position: FeedPosition): ResultAsync<boolean, Unavailable>;

  /** Ends a claim, unless it has ended. */
  release(owner: Owner, name: string, fence: number): ResultAsync<void, Unavailable>;

  /** Returns the owners that have events, or had some, after an owner; `null` begins with the first. */
  listOwners(after: Owner | null): ResultAsync<OwnersPage, Unavailable>;

  /** Returns those of the owners whose feed has another end than the position of the consumer, or may have one. */
  findBehind(name: string, after: Owner | null): ResultAsync<OwnersPage, Unavailable>;

  /**
   * Resolves when something may have been written since `state`: at once for `null`, which begins. Resolves at the latest
   * after `timeoutMs`, and at once when `signal` is aborted. Never rejects. What was written before the returned state is
   * visible to a search that begins afterwards.
   */
  waitForChanges(state: string | null, options: FeedWaitOptions): Promise<StoreChanges>;
}

/**
 * Throws unless `input` is a valid name of a consumer, which has the same characters as an owner.
 *
 * @throws {TypeError} the name is invalid
 */
export function assertConsumerName(input: unknown): void {
  if (!isOwner(input)) throw new TypeError('the name of a consumer must be 1 to 255 printable ASCII characters');
}
