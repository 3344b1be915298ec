import type { AnyEndpoint } from '@orders/domain/webhooks';
import { jsonText } from '../sql/statement.ts';
import type { RowOf } from '../tables/entity.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import type { ColumnValues } from '../writes/write-functions.ts';
import type { WebhookEndpointEntity } from '../tables/webhook-endpoint-entity.ts';

/** A row of webhook endpoints in the types that the driver returns. */
export interface WebhookEndpointRow extends Omit<AnyEndpoint, 'start'> {
  readonly start: string;
}

export function toWebhookEndpoint(row: WebhookEndpointRow): AnyEndpoint {
  return toEndpoint({
    ...row,
    start: Number(row.start),
    created_at: readTimestamp(row.created_at),
    updated_at: readTimestamp(row.updated_at),
  });
}

/** Returns the endpoint of an entity. */
export function ofEntity(entity: RowOf<typeof WebhookEndpointEntity>): AnyEndpoint {
  const { types = null, description = null, disabled_reason = null } = entity;
  return toEndpoint({ ...entity, types, description, disabled_reason });
}

/** Returns an endpoint without the columns that only the table has. */
function toEndpoint(row: AnyEndpoint): AnyEndpoint {
  const { id, url, types, include, description, status, disabled_reason } = row;
  const { secrets, start, version, created_at, updated_at } = row;
  return {
    id,
    url,
    types,
    include,
    description,
    status,
    disabled_reason,
    secrets,
    start,
    version,
    created_at,
    updated_at,
  };
}

/** Returns the values of an endpoint's row, by column, without its slot. */
export function webhookEndpointValues(endpoint: AnyEndpoint): ColumnValues {
  const { types, include, secrets } = endpoint;
  return {
    ...endpoint,
    types: types && jsonText(types),
    include: jsonText(include),
    secrets: jsonText(secrets),
  };
}
