import type { OrderDefinition, Owner, Unavailable } from '@orders/domain';
import { FEED_RESOURCE_TYPES, type FeedEvent } from '@orders/domain/events';
import { ok, Result } from 'neverthrow';
import type { StoredKind } from '../writes/aggregate-kind.ts';
import { readSnapshot } from '../writes/change-record.ts';
import { KINDS } from '../aggregate-kinds.ts';
import type { Executor } from '../postgres/executor.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import type { FeedStatements, NumberedChange, ResourceRow } from './feed-statements.ts';

/** An event of a definition that is known only when the program runs. */
export type AnyFeedEvent = FeedEvent<OrderDefinition>;

/** Returns the resource of a snapshot. */
type Restore = ReturnType<NonNullable<StoredKind['restoreOf']>>;

/** Statements that read the resources of changes, and what makes resources of them, by kind. */
export type ReadsResources = Pick<FeedStatements, 'resources'> & { readonly restored: ReadonlyMap<string, Restore> };

/** Returns what makes resources of snapshots, by kind. */
export function restoredBy(definition: OrderDefinition): ReadonlyMap<string, Restore> {
  return new Map(
    KINDS.flatMap(({ tables: [{ of }], restoreOf }) => (restoreOf ? [[of.name, restoreOf(definition)]] : [])),
  );
}

/**
 * Returns the event of a change. `data` is its resource at that version; absent if that was not read.
 *
 * @throws {Error} the change is about a kind of aggregate that only a later release knows
 */
export function toFeedEvent(change: NumberedChange, data?: object | null): AnyFeedEvent;
export function toFeedEvent(
  { aggregate, aggregate_id, version, position, ...change }: NumberedChange,
  data?: object | null,
): unknown {
  assertKnown(aggregate);
  const { event_id: id, type, changed, occurred_at, actor, external_user_id } = change;
  const resource = { type: aggregate, id: aggregate_id, version, ...(data !== undefined && { data }) };
  return {
    id,
    position: Number(position),
    type,
    resource,
    changed,
    occurred_at: readTimestamp(occurred_at),
    actor,
    external_user_id,
  };
}

/** The column may have kinds that are not those of its type. */
function assertKnown(aggregate: string): void {
  if (!FEED_RESOURCE_TYPES.some((known) => known === aggregate))
    throw new Error(`the aggregate ${aggregate} is known to later releases only`);
}

/**
 * Returns the events of changes with their resources, up to the size of a page. The data of a change that was purged since
 * it was read is null.
 */
export async function readResources(
  statements: ReadsResources,
  executor: Executor,
  owner: Owner,
  changes: readonly NumberedChange[],
): Promise<Result<readonly AnyFeedEvent[], Unavailable>> {
  return Result.combine([...(await readEachResource(statements, executor, owner, changes))]);
}

/** Does the same, with the reason in place of each event that cannot be read. */
export async function readEachResource(
  { resources, restored }: ReadsResources,
  executor: Executor,
  owner: Owner,
  changes: readonly NumberedChange[],
): Promise<readonly Result<AnyFeedEvent, Unavailable>[]> {
  if (changes.length === 0) return [];
  const positions = changes.map(({ position }) => Number(position));
  const [read] = await resources(executor, { owner_id: owner, positions });
  const found = new Map(read?.outcome.map((row) => [row.position, row]));
  const events: Result<AnyFeedEvent, Unavailable>[] = [];
  for (const change of changes) {
    const row = found.get(change.position);
    if (row?.fits === false) break;
    const data: Result<object | null, Unavailable> = row ? toData(row, restored.get(change.aggregate)) : ok(null);
    events.push(data.andThen((known) => readEvent(change, known)));
  }
  return events;
}

/** Returns the event of a change, or why it cannot be read. */
export function readEvent(change: NumberedChange, data?: object | null): Result<AnyFeedEvent, Unavailable> {
  return Result.fromThrowable(toFeedEvent, unreadable)(change, data);
}

/** A record that this release cannot read may be one of a later release. */
function unreadable(cause: unknown): Unavailable {
  return { type: 'unavailable', cause };
}

function toData(row: ResourceRow, restore: Restore = (snapshot) => snapshot): Result<object | null, Unavailable> {
  const restored = (snapshot: object | null) => snapshot && restore(snapshot, row.parts);
  return readSnapshot(row).andThen(Result.fromThrowable(restored, unreadable));
}
