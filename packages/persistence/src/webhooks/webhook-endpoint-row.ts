import type { AnyEndpoint } from '@orders/domain/webhooks';
import { jsonText } from '../sql/statement.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import type { ColumnValues } from '../writes/write-functions.ts';

/** A row of webhook endpoints in the types that the driver returns. */
export interface WebhookEndpointRow extends Omit<AnyEndpoint, 'start'> {
  readonly start: string;
}

/** Returns the endpoint of a row, which may have further columns. */
export function toWebhookEndpoint(row: WebhookEndpointRow): AnyEndpoint {
  const { id, url, types, include, description, status, disabled_reason, secrets, version } = row;
  return {
    id,
    url,
    types,
    include,
    description,
    status,
    disabled_reason,
    secrets,
    start: Number(row.start),
    version,
    created_at: readTimestamp(row.created_at),
    updated_at: readTimestamp(row.updated_at),
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
