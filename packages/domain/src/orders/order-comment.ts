import type { Timestamp } from '../shared/clock.ts';

/** Maximum length of a comment, in Unicode code points. */
export const COMMENT_LENGTH_MAX = 2000;
/** Maximum number of comments of an order. */
export const COMMENTS_MAX = 1000;

/** What an operator wrote about an order. It is no part of the order: it makes no version and no event. */
export interface OrderComment {
  /** UUIDv7. */
  readonly id: string;
  readonly created_at: Timestamp;
  /** Who wrote it: `operator:` and an id, or `command:` and the user of the operating system. */
  readonly author: string;
  /** 1 to {@link COMMENT_LENGTH_MAX} characters; `null` once it was erased. */
  readonly text: string | null;
}
