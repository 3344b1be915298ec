import type { AggregateStore, OrderDefinition, Owner, PageQuery } from '@orders/domain';
import {
  type AnyEndpoint,
  type TooManyEndpoints,
  WEBHOOK_ENDPOINTS_MAX,
  type WebhookEndpointEvent,
  type WebhookEndpointRepository,
} from '@orders/domain/webhooks';
import { err, ok, type Result } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import type { Executor } from '../postgres/executor.ts';
import type { RepositoryConnections } from '../postgres/repository-connections.ts';
import { columnNames, columnsOf } from '../sql/columns.ts';
import { type PageValues, selectPage } from '../sql/keyset-page.ts';
import { pageReader, pageStatements } from '../sql/read-page.ts';
import { prepare } from '../sql/statement.ts';
import { aggregateStatements } from '../writes/aggregate-statements.ts';
import { aggregateStore } from '../writes/aggregate-store.ts';
import type { Target } from '../writes/write-functions.ts';
import { WEBHOOK_ENDPOINT_TABLE } from './endpoint-kind.ts';
import type { Orm } from '../tables/orm.ts';
import { WebhookEndpointEntity } from '../tables/webhook-endpoint-entity.ts';
import { toWebhookEndpoint, webhookEndpointValues, type WebhookEndpointRow } from './webhook-endpoint-row.ts';

/**
 * Returns the repository of webhook endpoints in PostgreSQL. A read is one statement, every write two. An owner has at most
 * {@link WEBHOOK_ENDPOINTS_MAX} endpoints, because each takes one of that many slots, and a constraint lets only one
 * endpoint take a slot.
 */
export function postgresWebhookEndpoints<D extends OrderDefinition>(
  database: OrdersDatabase<D>,
): WebhookEndpointRepository<D>;
export function postgresWebhookEndpoints(database: OrdersDatabase): unknown {
  return webhookEndpointRepository(webhookEndpointStatements(database.orm), database);
}

/**
 * Returns the statements of the repository, whose text is built once.
 *
 * @internal
 */
export function webhookEndpointStatements(orm: Orm) {
  const columns = columnNames(columnsOf(WebhookEndpointEntity));
  // An owner has so few that no index has them in the order of a page.
  const listed = {
    table: 'webhook_endpoints',
    columns,
    read: columns,
    scans: [[]],
    sorted: [],
    scanning: [],
    room: [],
  };
  return {
    writes: aggregateStatements<WebhookEndpointRow>(orm, WEBHOOK_ENDPOINT_TABLE, columns),
    takenSlots: prepare<Pick<Target, 'owner_id'>, { slot: number }>(orm)`
    select slot from our.webhook_endpoints where owner_id = ${'owner_id'}`,
    pages: pageStatements<PageQuery, PageValues, WebhookEndpointRow>(orm, {}, (query, p) =>
      selectPage(query, listed, p),
    ),
  };
}

/**
 * Returns the repository over these connections.
 *
 * @internal
 */
export function webhookEndpointRepository(
  { writes, takenSlots, pages }: ReturnType<typeof webhookEndpointStatements>,
  connections: RepositoryConnections,
) {
  const { primary } = connections;
  /** Returns a free slot. Its choice depends on the id, so that concurrent creations rarely choose the same one. */
  const freeSlot = async (
    executor: Executor,
    owner: Owner,
    { id }: AnyEndpoint,
  ): Promise<Result<{ readonly slot: number }, TooManyEndpoints>> => {
    const taken = (await takenSlots(executor, { owner_id: owner })).map(({ slot }) => slot);
    const free = SLOTS.filter((slot) => !taken.includes(slot));
    const slot = free[Number.parseInt(id.slice(-4), 16) % free.length];
    return slot === undefined ? err({ type: 'too_many_endpoints' }) : ok({ slot });
  };

  const store: AggregateStore<AnyEndpoint, WebhookEndpointEvent, TooManyEndpoints> = aggregateStore(connections, {
    statements: writes,
    toAggregate: toWebhookEndpoint,
    toColumns: ({ after }) => webhookEndpointValues(after),
    findRoom: freeSlot,
  });

  const list = pageReader({ readAnywhere: (read) => read(primary) }, pages, toWebhookEndpoint);

  return { ...store, list } satisfies WebhookEndpointRepository<OrderDefinition>;
}

const SLOTS: readonly number[] = Array.from({ length: WEBHOOK_ENDPOINTS_MAX }, (_, index) => index + 1);
