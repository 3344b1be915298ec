import type { WebhookEndpoint } from '@orders/domain/webhooks';
import type { PresentedEndpoint } from './webhook-schemas.ts';

/** Returns an endpoint without its secrets, which say which key they derive from, and without its start in the feed. */
export function presentEndpoint({ secrets: _, start: __, ...endpoint }: WebhookEndpoint): PresentedEndpoint {
  return endpoint;
}
