import { sql } from 'kysely';
import { aggregateStatements } from '../writes/aggregate-statements.ts';
import type { Orm } from '../tables/orm.ts';
import { columnNames, columnsOf } from '../sql/columns.ts';
import { prepare } from '../sql/statement.ts';
import type { Target } from '../writes/write-functions.ts';
import { WebhookEndpointEntity } from '../tables/webhook-endpoint-entity.ts';
import { WEBHOOK_ENDPOINT_TABLE } from './endpoint-kind.ts';
import type { WebhookEndpointRow } from './webhook-endpoint-row.ts';

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
