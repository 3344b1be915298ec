import type { TimelineChange, TimelineComment, TimelineEntry } from './order-timeline.ts';

/** The next of what happened to an order, of one kind and oldest first, and whether further ones follow. */
export interface Upcoming<Entry> {
  readonly entries: readonly Entry[];
  readonly more: boolean;
}

/** Entries of a page, and how many of each kind. */
export interface MergedEntries {
  readonly data: readonly TimelineEntry[];
  readonly changes: number;
  readonly comments: number;
  readonly more: boolean;
}

/**
 * Merges versions and comments by their times, a version before a comment of the same time. Ends at `limit`, or where a kind goes
 * on with entries that are not known. The order of each kind stays, also where a clock was wrong.
 */
export function mergeEntries(
  changes: Upcoming<TimelineChange>,
  comments: Upcoming<TimelineComment>,
  limit: number,
): MergedEntries {
  const data: TimelineEntry[] = [];
  const taken = { changes: 0, comments: 0 };
  while (data.length < limit) {
    const [change, comment] = [changes.entries[taken.changes], comments.entries[taken.comments]];
    if ((!change && changes.more) || (!comment && comments.more)) break;
    const isComment = comment && (!change || comment.at < change.at);
    const next = isComment ? comment : change;
    if (!next) break;
    taken[isComment ? 'comments' : 'changes'] += 1;
    data.push(next);
  }
  const isLeft = taken.changes < changes.entries.length || taken.comments < comments.entries.length;
  return { data, ...taken, more: isLeft || changes.more || comments.more };
}
