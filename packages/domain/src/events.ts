export type { AbortSignalLike } from './events/abort-signal.ts';
export {
  type Checkpoints,
  type Claim,
  CLAIM_MS,
  type OwnerCheckpoints,
  OWNERS_PAGE_MAX,
  type OwnersPage,
  type StoreChanges,
} from './events/checkpoints.ts';
export { consume, type ConsumeOptions, type EventHandler } from './events/consume.ts';
export * from './events/consume-all.ts';
export {
  type EventFeed,
  type EventsExpired,
  type FeedPage,
  type FeedReset,
  type FeedWaitOptions,
  FEED_WAITS_MAX,
  FEED_WAITS_PER_OWNER_MAX,
  FILTERED_POSITIONS_MAX,
  NUMBERING_BATCH_MAX,
  NUMBERING_BATCHES_MAX,
  type ReadFeedError,
} from './events/event-feed.ts';
export {
  EVENT_TYPES,
  type EventType,
  eventTypesOf,
  FEED_INCLUDES,
  FEED_RESOURCE_TYPES,
  type FeedInclude,
  type FeedResourceType,
  resourceTypeOf,
} from './event-types.ts';
export { FeedBacklog } from './events/feed-backlog.ts';
export { FeedLost } from './events/feed-lost.ts';
export { followCheckpoint, type KeptCheckpoint } from './events/follow-checkpoint.ts';
export { followEvents } from './events/follow-events.ts';
export { followPages, type FollowOptions } from './events/follow-pages.ts';
export { owners } from './events/owners.ts';
export {
  type OwnerRetry,
  type OwnerTurns,
  type OwnerTurnsOptions,
  startTurns,
  takeTurns,
  type Turn,
  type TurnOptions,
} from './events/owner-turns.ts';
export { type FeedLostHandler, type PageTurn, takePage } from './events/page-turn.ts';
export type { FeedEvent, FeedResource } from './events/feed-event.ts';
export { FEED_START, type FeedPosition, isFeedPosition, isSamePosition, positionOf } from './events/feed-position.ts';
export * from './events/feed-query.ts';
export { type PresentedEvent, presentEvent } from './present-event.ts';
export { type PresentedEndpoint, presentEndpoint } from './webhooks/present-endpoint.ts';
export { readEvents, type ReadEventsError } from './events/read-events.ts';
export * from './events/retries.ts';
export { systemTimer, type Timer } from './events/timer.ts';
