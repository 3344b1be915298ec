import type { OrderDefinition } from '@orders/domain';
import type { WebhookEndpoint } from '@orders/domain/webhooks';
import type { PresentedEndpoint } from './webhook-schemas.ts';

/**
 * Returns an endpoint without its secrets, which say which key they derive from, and without its start in the feed. The
 * members are listed, so that a further one is not shown by accident.
 */
export function presentEndpoint(endpoint: WebhookEndpoint<OrderDefinition>): PresentedEndpoint {
  const { id, url, types, include, description } = endpoint;
  const { status, disabled_reason, version, created_at, updated_at } = endpoint;
  return { id, url, types, include, description, status, disabled_reason, version, created_at, updated_at };
}
