import { endpointKind } from '@orders/domain/webhooks';
import { WebhookEndpointEntity } from '../tables/webhook-endpoint-entity.ts';
import type { StoredKind } from '../writes/aggregate-kind.ts';
import type { AggregateTable } from '../writes/write-functions.ts';

/** The table of webhook endpoints, for writes. */
export const WEBHOOK_ENDPOINT_TABLE: AggregateTable = {
  of: endpointKind,
  needsRoom: true,
  table: 'webhook_endpoints',
  entity: WebhookEndpointEntity,
  fixed: ['start', 'slot', 'created_at'],
  erases: true,
  constraints: ['webhook_endpoints_slot_unique'],
};

/** Webhook endpoints as they are stored. */
export const storedEndpoints: StoredKind = { tables: [WEBHOOK_ENDPOINT_TABLE] };
