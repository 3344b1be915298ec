import type { WebhookEndpoint } from '@orders/domain/webhooks';
import { toTimestamp } from '../shared/timestamp-type.ts';

/** A row of endpoints in the types that the driver returns. */
export interface WebhookEndpointRow extends Omit<WebhookEndpoint, 'start'> {
  readonly start: string;
}

/** Returns the endpoint of a row. */
export function toWebhookEndpoint(row: WebhookEndpointRow): WebhookEndpoint {
  const { start, created_at, updated_at } = row;
  return {
    ...row,
    start: Number(start),
    created_at: toTimestamp(created_at),
    updated_at: toTimestamp(updated_at),
  };
}
