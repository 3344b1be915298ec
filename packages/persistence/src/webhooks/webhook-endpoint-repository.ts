import type { AggregateStore, OrderDefinition, Owner, PageQuery } from '@orders/domain';
import {
  type AnyEndpoint,
  type TooManyEndpoints,
  WEBHOOK_ENDPOINTS_MAX,
  type WebhookEndpointEvent,
  type WebhookEndpointRepository,
} from '@orders/domain/webhooks';
import { err, ok, type Result } from 'neverthrow';
import type { OrdersDatabase } from '../database.ts';
import type { Executor } from '../postgres/executor.ts';
import { columnNames, columnsOf } from '../sql/columns.ts';
import { nextPosition } from '../sql/keyset-page.ts';
import { prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { withEntityManager } from '../tables/with-entity-manager.ts';
import { aggregateStatements } from '../writes/aggregate-statements.ts';
import { aggregateStore } from '../writes/aggregate-store.ts';
import type { Target } from '../writes/write-functions.ts';
import { WEBHOOK_ENDPOINT_TABLE } from './endpoint-kind.ts';
import { WebhookEndpointEntity } from '../tables/webhook-endpoint-entity.ts';
import { ofEntity, toWebhookEndpoint, webhookEndpointValues, type WebhookEndpointRow } from './webhook-endpoint-row.ts';

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

  /** Returns a free slot. Its choice depends on the id, so that concurrent creations rarely choose the same one. */
  const freeSlot = async (
    executor: Executor,
    owner: Owner,
    { id }: AnyEndpoint,
  ): Promise<Result<{ readonly slot: number }, TooManyEndpoints>> => {
    const taken = new Set((await statements.takenSlots(executor, { owner_id: owner })).map(slotOf));
    const free = SLOTS.filter((slot) => !taken.has(slot));
    const slot = free[Number.parseInt(id.slice(-4), 16) % free.length];
    return slot === undefined ? err({ type: 'too_many_endpoints' }) : ok({ slot });
  };

  const store: AggregateStore<AnyEndpoint, WebhookEndpointEvent, TooManyEndpoints> = aggregateStore(database, {
    statements,
    toAggregate: toWebhookEndpoint,
    toColumns: ({ after }) => webhookEndpointValues(after),
    findRoom: freeSlot,
  });

  return {
    ...store,

    list: (owner, query) =>
      withEntityManager(orm, (em, { entityOf }) => em.find(entityOf(WebhookEndpointEntity), { owner_id: owner })).map(
        (entities) => pageOf(entities.map(ofEntity), query),
      ),
  };
}

/** Returns the statements of writes of webhook endpoints, each built once. */
function webhookEndpointStatements(orm: Orm) {
  const columns = columnNames(columnsOf(WebhookEndpointEntity));
  return {
    ...aggregateStatements<WebhookEndpointRow>(orm, WEBHOOK_ENDPOINT_TABLE, columns),

    takenSlots: prepare<Pick<Target, 'owner_id'>, { slot: number }>(orm)`
        select slot from our.webhook_endpoints where owner_id = ${'owner_id'}`,
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
  const keyOf = (value: string, id: string) => `${value} ${id}`;
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
