import type { Customer, OrderDefinition, Owner, Unavailable } from '@orders/domain';
import type { FeedEvent, FeedResource } from '@orders/domain/events';
import { ok, Result } from 'neverthrow';
import { readSnapshot } from '../writes/change-record.ts';
import { restoreCustomer } from '../customers/customer-row.ts';
import type { AnyOrder } from '../orders/order-row.ts';
import type { RestoreOrder } from '../orders/order-snapshot.ts';
import type { Executor } from '../postgres/executor.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import { type AnyEndpoint, restoreWebhookEndpoint } from '../endpoints/webhook-endpoint-row.ts';
import type { FeedStatements, NumberedChange, ResourceRow } from './feed-statements.ts';

/** The resource of each kind at the version of a change. */
interface Data {
  readonly order?: AnyOrder | null;
  readonly customer?: Customer | null;
  readonly webhook_endpoint?: AnyEndpoint | null;
}

/** An event of a definition that is known only when the program runs. */
export type AnyFeedEvent = FeedEvent<OrderDefinition>;

/** Statements that read the resources of changes, and what makes orders of them. */
export type ReadsResources = Pick<FeedStatements, 'resources'> & { readonly restore: RestoreOrder };

/**
 * Returns the event of a change.
 *
 * @throws {Error} the change is about a kind of aggregate that only a later release knows
 */
export function toFeedEvent(change: NumberedChange, data: Data = {}): AnyFeedEvent {
  const { event_id: id, position, type, changed, occurred_at, actor } = change;
  const resource = toResource(change, data);
  if (!isKnown(resource)) throw new Error(`the aggregate ${change.aggregate} is known to later releases only`);
  return { id, position: Number(position), type, resource, changed, occurred_at: readTimestamp(occurred_at), actor };
}

function toResource(
  { aggregate, aggregate_id: id, version }: NumberedChange,
  data: Data,
): FeedResource<OrderDefinition> {
  switch (aggregate) {
    case 'order':
      return { type: aggregate, id, version, ...(data.order !== undefined && { data: data.order }) };
    case 'customer':
      return { type: aggregate, id, version, ...(data.customer !== undefined && { data: data.customer }) };
    case 'webhook_endpoint':
      return {
        type: aggregate,
        id,
        version,
        ...(data.webhook_endpoint !== undefined && { data: data.webhook_endpoint }),
      };
  }
}

/** The column may have kinds that are not those of its type. */
function isKnown(resource: FeedResource<OrderDefinition> | undefined): boolean {
  return resource !== undefined;
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
    const data: Result<Data, Unavailable> = row ? toData(change, row, restore) : ok({ [change.aggregate]: null });
    events.push(data.andThen((known) => readEvent(change, known)));
  }
  return events;
}

/** Returns the event of a change, or why it cannot be read. */
export function readEvent(change: NumberedChange, data?: Data): Result<AnyFeedEvent, Unavailable> {
  return Result.fromThrowable(toFeedEvent, unreadable)(change, data);
}

/** A record that this release cannot read may be one of a later release. */
function unreadable(cause: unknown): Unavailable {
  return { type: 'unavailable', cause };
}

function toData({ aggregate }: NumberedChange, row: ResourceRow, restore: RestoreOrder): Result<Data, Unavailable> {
  const restored = (snapshot: object | null): Data => {
    switch (aggregate) {
      case 'order':
        return { order: snapshot && restore(snapshot, row.items) };
      case 'customer':
        return { customer: snapshot && restoreCustomer(snapshot) };
      case 'webhook_endpoint':
        return { webhook_endpoint: snapshot && restoreWebhookEndpoint(snapshot) };
    }
  };
  return readSnapshot(row).andThen(Result.fromThrowable(restored, unreadable));
}
