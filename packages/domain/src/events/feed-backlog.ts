/** The cause of `unavailable` when the end of a feed is unknown, because more events have no position than one read numbers. */
export class FeedBacklog extends Error {
  override readonly name = 'FeedBacklog';
  /** The last position that was given. Every event without one comes after it. */
  readonly last: number;

  constructor(last: number) {
    super('more events have no position than one read numbers');
    this.last = last;
  }
}
