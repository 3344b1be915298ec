import { ok, type ResultAsync } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { UNKNOWN_AUTHOR } from '../shared/author.ts';
import { currentTimestamp, laterTimestamp } from '../shared/clock.ts';
import { createEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { applyEndpointChange } from './change-endpoint.ts';
import { newSecret } from './secrets-of-endpoint.ts';
import { updateExistingEndpoint } from './update-endpoint.ts';
import type { WebhookPorts } from './webhooks.ts';

/**
 * Replaces the secrets of an endpoint that derive from a signing key which is lost or has leaked. If the newest one did, the
 * endpoint gets a new one that its owner does not know, and is disabled with the reason `secret_lost`. A rotation returns the
 * next secret, and what happened meanwhile is delivered once the endpoint is enabled. Changes nothing if no secret derives
 * from the key, or the endpoint was deleted.
 *
 * @param lostKey the fingerprint of the key, which must not be that of the newest key of the server
 * @returns whether the endpoint was enabled and is disabled now
 */
export function replaceLostSecrets(
  ports: Pick<WebhookPorts<OrderDefinition>, 'endpoints' | 'secrets' | 'ids' | 'clock'>,
  owner: Owner,
  endpointId: string,
  lostKey: string,
): ResultAsync<boolean, Unavailable> {
  const { endpoints, secrets, ids, clock } = ports;
  return updateExistingEndpoint(endpoints, { owner, id: endpointId }, (before) => {
    const kept = before.secrets.filter(({ key }) => key !== lostKey);
    if (kept.length === before.secrets.length) return ok({ after: before, event: null });
    const now = currentTimestamp(clock);
    const isNewestKept = kept[0] === before.secrets[0];
    const replaced = { ...before, secrets: isNewestKept ? kept : [newSecret(secrets, before), ...kept] };
    const { after: endpoint, event } = isNewestKept
      ? { after: replaced, event: null }
      : applyEndpointChange(replaced, { status: 'disabled' }, 'secret_lost', now);
    const changed = [...(event?.changed ?? []), 'secrets'];
    const after = { ...endpoint, version: before.version + 1, updated_at: laterTimestamp(before.updated_at, now) };
    const type = event?.type ?? 'webhook_endpoint.secret_rotated';
    return ok({ after, event: createEvent(ids, owner, UNKNOWN_AUTHOR, { type, changed }, after) });
  }).map((event) => event?.type === 'webhook_endpoint.disabled');
}
