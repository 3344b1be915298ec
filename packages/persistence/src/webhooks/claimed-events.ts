import type { Owner, Unavailable } from '@orders/domain';
import type { Result } from 'neverthrow';
import type { NumberedChange } from '../events/feed-statements.ts';
import { type AnyFeedEvent, readEachResource, readEvent, type ReadsResources } from '../events/numbered-change.ts';
import type { Executor } from '../postgres/executor.ts';
import type { AnyEndpoint } from './webhook-endpoint-row.ts';

/** An event by its position, or why it cannot be read. */
export type EventsByPosition = ReadonlyMap<number, Result<AnyFeedEvent, Unavailable>>;

/** Returns the events of changes without the data of their resources. */
export function plainEvents(changes: readonly NumberedChange[]): EventsByPosition {
  return new Map(changes.map((change) => [Number(change.position), readEvent(change)]));
}

/** Returns the events of changes with the data of their resources. */
export async function fullEvents(
  statements: ReadsResources,
  executor: Executor,
  owner: Owner,
  changes: readonly NumberedChange[],
): Promise<EventsByPosition> {
  const events = new Map<number, Result<AnyFeedEvent, Unavailable>>();
  // Each read returns as many as a page may have, one at least.
  while (events.size < changes.length) {
    const read = await readEachResource(statements, executor, owner, changes.slice(events.size));
    for (const event of read) events.set(Number(changes[events.size]?.position), event);
  }
  return events;
}

/** Whether an endpoint gets the data of resources. */
export function includesResource(endpoint: AnyEndpoint | undefined): boolean {
  return endpoint?.include.includes('resource') === true;
}
