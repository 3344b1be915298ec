import { okAsync, type ResultAsync } from 'neverthrow';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { ChangeOptions } from '../shared/version.ts';
import { applyEndpointChange, parseEndpointPatch } from './endpoint-patch.ts';
import { changeEndpointBy } from './update-endpoint.ts';
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
  id: string | ResourceId,
  patch: unknown,
  options: ChangeOptions = {},
): ResultAsync<WebhookEndpointWritten, ChangeEndpointError> {
  const parsed = parseEndpointPatch(patch, ports);
  const target = { owner, id, operation: 'change_webhook_endpoint' };
  return changeEndpointBy(ports, target, parsed, options, (before, change, now) =>
    applyEndpointChange(before, change, 'requested', now),
  ).andThen((written) => {
    const isEnabled = parsed.isOk() && parsed.value.status === 'enabled';
    return isEnabled ? ports.deliveries.resume(owner, written.endpoint.id).map(() => written) : okAsync(written);
  });
}
