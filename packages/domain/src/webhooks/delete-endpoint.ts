import type { ResultAsync } from 'neverthrow';
import { deleteByCommand, except } from '../aggregates/write-aggregate.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { ChangeOptions } from '../shared/version.ts';
import type { WebhookEndpointDeleted } from './webhook-endpoint-repository.ts';
import type { DeleteEndpointError, DefinedWebhookPorts } from './webhooks.ts';

/**
 * Deletes an endpoint permanently with its deliveries, and erases all recorded values of the endpoint, so that a retry
 * of an earlier write returns `webhook_endpoint_not_found`.
 */
export function deleteEndpoint(
  ports: DefinedWebhookPorts,
  owner: Owner,
  id: string | ResourceId,
  options: ChangeOptions = {},
): ResultAsync<WebhookEndpointDeleted, DeleteEndpointError> {
  const { endpoints: store } = ports;
  const target = {
    store,
    owner,
    id,
    missing: 'webhook_endpoint_not_found',
    operation: 'delete_webhook_endpoint',
    type: 'webhook_endpoint.deleted',
  } as const;
  const deleted = deleteByCommand(ports, target, options);
  // Only a creation needs room among the other endpoints.
  return deleted.mapErr(except('too_many_endpoints'));
}
