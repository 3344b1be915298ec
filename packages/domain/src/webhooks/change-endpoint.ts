import { okAsync, type ResultAsync } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { currentTimestamp } from '../shared/clock.ts';
import { createEvent } from '../shared/domain-event.ts';
import { idempotencyFor } from '../shared/idempotency.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import { type ChangeOptions, checkVersion, readActorOfChange } from '../shared/version.ts';
import { applyEndpointChange, parseEndpointPatch } from './endpoint-patch.ts';
import { updateEndpoint } from './update-endpoint.ts';
import type { WebhookEndpointWritten } from './webhook-endpoint-repository.ts';
import type { ChangeEndpointError, DefinedWebhookPorts } from './webhooks.ts';

/**
 * Changes an endpoint by a merge patch (RFC 7396), a {@link WebhookEndpointPatch}. The patch applies as a whole or not at
 * all, and records one event: `webhook_endpoint.disabled` if it disables the endpoint. A patch with `status: enabled` also
 * ends the wait for an endpoint that rejected what it received, whether or not it changes anything.
 */
export function changeEndpoint(
  ports: DefinedWebhookPorts,
  owner: Owner,
  endpointId: string | ResourceId,
  patch: unknown,
  options: ChangeOptions = {},
): ResultAsync<WebhookEndpointWritten<OrderDefinition>, ChangeEndpointError> {
  const actor = readActorOfChange(options);
  return parseEndpointPatch(patch, ports).asyncAndThen((change) =>
    parseId(endpointId, 'webhook_endpoint_not_found').asyncAndThen((id) => {
      const key = idempotencyFor(ports, options, 'change_webhook_endpoint', id, change);
      return updateEndpoint(ports.endpoints, { owner, id, key }, (before) =>
        checkVersion(before.version, options).map(() => {
          const now = currentTimestamp(ports.clock);
          const { endpoint, event } = applyEndpointChange(before, change, 'requested', now);
          return { after: endpoint, event: event && createEvent(ports.ids, owner, actor, event, endpoint) };
        }),
      ).andThen((written) =>
        change.status === 'enabled' ? ports.deliveries.resume(owner, id).map(() => written) : okAsync(written),
      );
    }),
  );
}
