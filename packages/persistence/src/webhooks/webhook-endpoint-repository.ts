import type { OrderDefinition, Owner, PageQuery } from '@orders/domain';
import {
  type TooManyEndpoints,
  WEBHOOK_ENDPOINT_FEED_TYPES,
  WEBHOOK_ENDPOINTS_MAX,
  type WebhookEndpointDecision,
  type WebhookEndpointEvent,
  type WebhookEndpointNotFound,
  type WebhookEndpointRepository,
  type WebhookEndpointWritten,
} from '@orders/domain/webhooks';
import { err, ok, type Result } from 'neverthrow';
import type { OrdersDatabase } from '../database.ts';
import type { RecordedWrite } from '../idempotency/idempotency-statements.ts';
import type { Executor } from '../shared/executor.ts';
import { nextPosition } from '../shared/keyset-page.ts';
import { withEntityManager } from '../shared/with-entity-manager.ts';
import type { AggregateTypes } from '../writes/aggregate-kind.ts';
import { aggregateWrites } from '../writes/aggregate-writes.ts';
import { WebhookEndpointEntity } from './webhook-endpoint-entity.ts';
import {
  type AnyEndpoint,
  ofEntity,
  restoreWebhookEndpoint,
  toWebhookEndpoint,
  type WebhookEndpointRow,
  webhookEndpointValues,
} from './webhook-endpoint-row.ts';
import { webhookEndpointStatements } from './webhook-endpoint-statements.ts';

interface WebhookEndpointTypes extends AggregateTypes {
  readonly aggregate: AnyEndpoint;
  readonly event: WebhookEndpointEvent;
  readonly decision: Pick<WebhookEndpointDecision<OrderDefinition>, 'endpoint'>;
  readonly written: WebhookEndpointWritten<OrderDefinition>;
  readonly row: WebhookEndpointRow;
  readonly recorded: RecordedWrite;
  readonly notFound: WebhookEndpointNotFound;
  readonly noRoom: TooManyEndpoints;
  readonly conflict: never;
  readonly deletionConflict: never;
  readonly erased: WebhookEndpointNotFound;
}

/**
 * Returns the repository of webhook endpoints in PostgreSQL. A read is one statement, every write two. An owner has at most
 * {@link WEBHOOK_ENDPOINTS_MAX} endpoints, because each takes one of that many slots, and a constraint lets only one
 * endpoint take a slot.
 */
export function postgresWebhookEndpoints<D extends OrderDefinition>(
  database: OrdersDatabase<D>,
): WebhookEndpointRepository<D>;
export function postgresWebhookEndpoints(database: OrdersDatabase): unknown {
  return webhookEndpoints(database);
}

function webhookEndpoints(database: OrdersDatabase): WebhookEndpointRepository<OrderDefinition> {
  const { orm } = database;
  const statements = webhookEndpointStatements(orm);
  const notFound = (id: string): WebhookEndpointNotFound => ({ type: 'webhook_endpoint_not_found', id });

  /** Returns a free slot. Its choice depends on the id, so that concurrent creations rarely choose the same one. */
  const freeSlot = async (
    executor: Executor,
    owner: Owner,
    { id }: AnyEndpoint,
  ): Promise<Result<{ readonly slot: number }, TooManyEndpoints>> => {
    const taken = new Set((await statements.takenSlots(executor, { owner: { owner_id: owner } })).map(slotOf));
    const free = SLOTS.filter((slot) => !taken.has(slot));
    const slot = free[Number.parseInt(id.slice(-4), 16) % free.length];
    return slot === undefined ? err({ type: 'too_many_endpoints' }) : ok({ slot });
  };

  const writes = aggregateWrites<WebhookEndpointTypes>(database, {
    name: 'webhook_endpoint',
    load: statements.find,
    lock: statements.lock,
    write: statements.write,
    keys: statements.keys,
    aggregateOf: ({ endpoint }) => endpoint,
    toAggregate: toWebhookEndpoint,
    toRow: webhookEndpointValues,
    toNewRow: webhookEndpointValues,
    findRoom: freeSlot,
    toSnapshot: (endpoint) => endpoint,
    isPublished: ({ type }) => WEBHOOK_ENDPOINT_FEED_TYPES.some((published) => published === type),
    restore: restoreWebhookEndpoint,
    withLowerIds: (endpoint) => ({ ...endpoint, id: endpoint.id.toLowerCase() }),
    fixed: ({ id, start, created_at }) => ({ id, start, created_at }),
    written: (endpoint, event, replayed) => ({ endpoint, event, replayed }),
    notFound,
    // The only constraint that concurrent writes violate is that of the slots. Another one may be free.
    conflict: () => Promise.resolve('retry'),
    deletionConflict: () => 'retry',
    erased: notFound,
  });

  return {
    ...writes,

    find: (owner, id) =>
      withEntityManager(orm, (em) => em.findOne(WebhookEndpointEntity, { owner_id: owner, id })).andThen((entity) =>
        entity ? ok(ofEntity(entity)) : err(notFound(id)),
      ),

    list: (owner, query) =>
      withEntityManager(orm, (em) => em.find(WebhookEndpointEntity, { owner_id: owner })).map((entities) =>
        pageOf(entities.map(ofEntity), query),
      ),
  };
}

const SLOTS: readonly number[] = Array.from({ length: WEBHOOK_ENDPOINTS_MAX }, (_, index) => index + 1);

function slotOf({ slot }: { readonly slot: number }): number {
  return slot;
}

/** Returns a page of all endpoints of an owner, which are few. */
function pageOf(all: readonly AnyEndpoint[], query: PageQuery) {
  const { sort, after, offset, limit } = query;
  const direction = sort.startsWith('-') ? -1 : 1;
  const valueOf = ({ created_at, updated_at }: AnyEndpoint) => (sort.endsWith('created_at') ? created_at : updated_at);
  // Timestamps and ids have the same order as their texts.
  const keyOf = (value: string, id: string) => `${value} ${id.toLowerCase()}`;
  const compare = (left: string, right: string) => direction * (Number(left > right) - Number(left < right));
  const remaining = all
    .map((endpoint) => ({ endpoint, key: keyOf(valueOf(endpoint), endpoint.id) }))
    .toSorted((left, right) => compare(left.key, right.key))
    .filter(({ key }) => after === null || compare(key, keyOf(after.value, after.id)) > 0)
    .map(({ endpoint }) => endpoint)
    .slice(offset);
  const data = remaining.slice(0, limit);
  return { data, next: nextPosition(query, data, data.length < remaining.length) };
}
