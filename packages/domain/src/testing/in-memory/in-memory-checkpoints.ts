import { okAsync, type ResultAsync } from 'neverthrow';
import {
  CLAIM_MS,
  type Claim,
  OWNERS_PAGE_MAX,
  type OwnerCheckpoints,
  type OwnersPage,
} from '../../events/checkpoints.ts';
import { FEED_START, type FeedPosition } from '../../events/feed-position.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import type { InMemoryFeed } from './in-memory-feed.ts';
import { copy } from './copy.ts';

/** How far a consumer has handled the events of an owner, and who may save it. */
interface Checkpoint {
  position: FeedPosition | null;
  fence: number;
  /** In milliseconds since 1970; 0 without a claim. */
  heldUntil: number;
}

/** Creates the checkpoints of consumers of the owners of a feed. */
export function inMemoryCheckpoints(feed: InMemoryFeed, clock: Clock): OwnerCheckpoints {
  const checkpoints = new Map<string, Checkpoint>();
  const at = (owner: Owner, name: string): Checkpoint => {
    const key = JSON.stringify([owner, name]);
    const found = checkpoints.get(key) ?? { position: null, fence: 0, heldUntil: 0 };
    checkpoints.set(key, found);
    return found;
  };
  const claimedAt = (owner: Owner, name: string, fence: number): Checkpoint | null => {
    const found = at(owner, name);
    return found.fence === fence && found.heldUntil > 0 ? found : null;
  };
  const now = () => clock.now().getTime();
  const pageOf = (after: Owner | null, isIncluded: (owner: Owner) => boolean): ResultAsync<OwnersPage, never> => {
    const following = feed.owners().filter((owner) => after === null || owner > after);
    const page = following.toSorted((left, right) => (left < right ? -1 : 1)).slice(0, OWNERS_PAGE_MAX);
    const next = page.length < following.length ? (page.at(-1) ?? null) : null;
    return okAsync({ owners: page.filter(isIncluded), next });
  };
  return {
    load: (owner, name) => okAsync(copy(at(owner, name).position)),
    save: (owner, name, position) => {
      Object.assign(at(owner, name), { position: copy(position), heldUntil: 0 });
      return okAsync(undefined);
    },
    claim: (owner, name) => {
      const checkpoint = at(owner, name);
      if (checkpoint.heldUntil > now()) return okAsync<Claim | null>(null);
      checkpoint.fence += 1;
      checkpoint.heldUntil = now() + CLAIM_MS;
      return okAsync<Claim | null>({ fence: checkpoint.fence, position: copy(checkpoint.position) });
    },
    saveClaimed: (owner, name, fence, position) => {
      const claimed = claimedAt(owner, name, fence);
      if (claimed) Object.assign(claimed, { position: copy(position), heldUntil: now() + CLAIM_MS });
      return okAsync(claimed !== null);
    },
    release: (owner, name, fence) => {
      const claimed = claimedAt(owner, name, fence);
      if (claimed) claimed.heldUntil = 0;
      return okAsync(undefined);
    },
    listOwners: (after) => pageOf(after, () => true),
    findBehind: (name, after) =>
      pageOf(after, (owner) => feed.rangeOf(owner).latest !== (at(owner, name).position ?? FEED_START).position),
    waitForChanges: (state, options) => feed.waitForChanges(state, options),
  };
}
