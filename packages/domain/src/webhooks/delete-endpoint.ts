import type { ResultAsync } from 'neverthrow';
import { deleteAggregate, except } from '../aggregates/write-aggregate.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { currentTimestamp } from '../shared/clock.ts';
import { createDeletionEvent } from '../shared/domain-event.ts';
import { idempotencyFor } from '../shared/idempotency.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import { type ChangeOptions, checkVersion, readActorOfChange } from '../shared/version.ts';
import type { WebhookEndpointDeleted } from './webhook-endpoint-repository.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import type { DeleteEndpointError, DefinedWebhookPorts } from './webhooks.ts';

/**
 * Deletes an endpoint permanently with its deliveries, and erases all recorded values of the endpoint, so that a retry
 * of an earlier write returns `webhook_endpoint_not_found`.
 */
export function deleteEndpoint(
  ports: DefinedWebhookPorts,
  owner: Owner,
  endpointId: string | ResourceId,
  options: ChangeOptions = {},
): ResultAsync<WebhookEndpointDeleted, DeleteEndpointError> {
  const { endpoints, ids, clock } = ports;
  const actor = readActorOfChange(options);
  const type = 'webhook_endpoint.deleted';
  return parseId(endpointId, 'webhook_endpoint_not_found').asyncAndThen((id) =>
    deleteAggregate(
      {
        store: endpoints,
        owner,
        key: idempotencyFor(ports, options, 'delete_webhook_endpoint', id),
        missing: 'webhook_endpoint_not_found',
      },
      id,
      (endpoint: WebhookEndpoint<OrderDefinition>) =>
        checkVersion(endpoint.version, options).map(() =>
          createDeletionEvent(ids, owner, actor, type, endpoint, currentTimestamp(clock)),
        ),
    ).mapErr(except('too_many_endpoints')),
  );
}
