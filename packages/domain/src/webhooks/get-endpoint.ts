import type { ResultAsync } from 'neverthrow';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import type { WebhookEndpointNotFound } from './webhook-errors.ts';
import type { WebhookPorts } from './webhooks.ts';

/** Returns one endpoint of the owner, or `webhook_endpoint_not_found`. */
export function getEndpoint(
  { endpoints }: Pick<WebhookPorts, 'endpoints'>,
  owner: Owner,
  endpointId: string | ResourceId,
): ResultAsync<WebhookEndpoint, Unavailable | WebhookEndpointNotFound> {
  return parseId(endpointId, 'webhook_endpoint_not_found').asyncAndThen((id) => endpoints.find(owner, id));
}
