import { deepFreeze } from '../shared/frozen.ts';

/** A place between two events of an owner: after the event with this position. */
export interface FeedPosition {
  /** The position of the event before this place; 0 before the first event. */
  readonly position: number;
  /**
   * The last 16 hexadecimal digits of that event's id, in lower case; sixteen zeros at position 0. They show whether the
   * feed still has the event that the reader saw, which it may not after a restore from a backup.
   */
  readonly event: string;
}

/** The place before the first event of every owner. */
export const FEED_START: FeedPosition = deepFreeze({ position: 0, event: '0000000000000000' });

/** Returns the place after an event. */
export function positionOf({ id, position }: { readonly id: string; readonly position: number }): FeedPosition {
  return { position, event: id.replaceAll('-', '').slice(16).toLowerCase() };
}

/** Whether two places are the same one, of the same event; `null` is that of a consumer without a position. */
export function isSamePosition(one: FeedPosition | null, other: FeedPosition | null): boolean {
  return one?.position === other?.position && one?.event === other?.event;
}

/** Checks whether `input` is a valid {@link FeedPosition}, whichever feed it belongs to. */
export function isFeedPosition({ position, event }: FeedPosition): boolean {
  const isPlace = Number.isSafeInteger(position) && position >= 0 && /^[0-9a-f]{16}$/.test(event);
  return isPlace && (position > 0 || event === FEED_START.event);
}
