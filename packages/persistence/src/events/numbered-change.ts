import type { OrderDefinition, Owner, Unavailable } from '@orders/domain';
import type { FeedEvent } from '@orders/domain/events';
import { ok, Result } from 'neverthrow';
import { readSnapshot } from '../writes/change-record.ts';
import { restoreCustomer } from '../customers/customer-row.ts';
import type { RestoreOrder } from '../orders/order-snapshot.ts';
import type { Executor } from '../postgres/executor.ts';
import type { AggregateName } from '../tables/change-entity.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import { restoreWebhookEndpoint } from '../endpoints/webhook-endpoint-row.ts';
import type { FeedStatements, NumberedChange, ResourceRow } from './feed-statements.ts';

/** An event of a definition that is known only when the program runs. */
export type AnyFeedEvent = FeedEvent<OrderDefinition>;

/** Statements that read the resources of changes, and what makes orders of them. */
export type ReadsResources = Pick<FeedStatements, 'resources'> & { readonly restore: RestoreOrder };

/** Returns the resource of each kind from its snapshot. */
const RESTORED: Readonly<
  Record<AggregateName, (snapshot: object, row: ResourceRow, restore: RestoreOrder) => object | null>
> = {
  order: (snapshot, { parts }, restore) => restore(snapshot, parts),
  customer: restoreCustomer,
  webhook_endpoint: restoreWebhookEndpoint,
};

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
  const { event_id: id, type, changed, occurred_at, actor } = change;
  const resource = { type: aggregate, id: aggregate_id, version, ...(data !== undefined && { data }) };
  return { id, position: Number(position), type, resource, changed, occurred_at: readTimestamp(occurred_at), actor };
}

/** The column may have kinds that are not those of its type. */
function assertKnown(aggregate: AggregateName): void {
  if (!Object.hasOwn(RESTORED, aggregate))
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
  { resources, restore }: ReadsResources,
  executor: Executor,
  owner: Owner,
  changes: readonly NumberedChange[],
): Promise<readonly Result<AnyFeedEvent, Unavailable>[]> {
  if (changes.length === 0) return [];
  const positions = changes.map(({ position }) => Number(position));
  const [read] = await resources(executor, { call: { owner_id: owner, positions } });
  const found = new Map(read?.outcome.map((row) => [row.position, row]));
  const events: Result<AnyFeedEvent, Unavailable>[] = [];
  for (const change of changes) {
    const row = found.get(change.position);
    if (row?.fits === false) break;
    const data: Result<object | null, Unavailable> = row ? toData(change, row, restore) : ok(null);
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

function toData(
  { aggregate }: NumberedChange,
  row: ResourceRow,
  restore: RestoreOrder,
): Result<object | null, Unavailable> {
  const restored = (snapshot: object | null) => {
    assertKnown(aggregate);
    return snapshot && RESTORED[aggregate](snapshot, row, restore);
  };
  return readSnapshot(row).andThen(Result.fromThrowable(restored, unreadable));
}
