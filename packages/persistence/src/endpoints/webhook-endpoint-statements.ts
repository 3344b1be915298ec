import { sql } from 'kysely';
import { aggregateStatements } from '../writes/aggregate-statements.ts';
import type { Orm } from '../tables/orm.ts';
import { columnNames, columnsOf } from '../sql/columns.ts';
import { prepare } from '../sql/statement.ts';
import type { AggregateTable, Target } from '../writes/write-functions.ts';
import { WebhookEndpointEntity } from '../tables/webhook-endpoint-entity.ts';
import type { WebhookEndpointRow } from './webhook-endpoint-row.ts';

/** The table of webhook endpoints, for writes. */
export const WEBHOOK_ENDPOINT_TABLE: AggregateTable = {
  aggregate: 'webhook_endpoint',
  needsRoom: true,
  table: 'webhook_endpoints',
  entity: WebhookEndpointEntity,
  fixed: ['start', 'slot', 'created_at'],
  erases: true,
};

/** Returns the statements of writes of webhook endpoints, each built once. */
export function webhookEndpointStatements(orm: Orm) {
  const columns = columnNames(columnsOf(WebhookEndpointEntity));
  return {
    ...aggregateStatements<WebhookEndpointRow>(orm, WEBHOOK_ENDPOINT_TABLE, columns),

    takenSlots: prepare<{ owner: Pick<Target, 'owner_id'> }, { slot: number }>(
      orm,
      (p) => sql<{ slot: number }>`select slot from our.webhook_endpoints where owner_id = ${p('owner', 'owner_id')}`,
    ),
  };
}
