import { ok, type ResultAsync } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { UNKNOWN_AUTHOR } from '../shared/author.ts';
import { currentTimestamp } from '../shared/clock.ts';
import { createEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { applyEndpointChange } from './change-endpoint.ts';
import { updateExistingEndpoint } from './update-endpoint.ts';
import type { DisabledReason, WebhookEndpoint } from './webhook-endpoint.ts';
import type { WebhookPorts } from './webhooks.ts';

/**
 * Disables an endpoint because of an attempt, and records `webhook_endpoint.disabled` without an author. Changes nothing if
 * the endpoint is disabled already, was deleted, or has another URL than the attempt.
 *
 * @param attempted the endpoint of the attempt
 * @returns whether the endpoint was enabled and is disabled now
 */
export function disableEndpoint(
  { endpoints, ids, clock }: Pick<WebhookPorts<OrderDefinition>, 'endpoints' | 'ids' | 'clock'>,
  owner: Owner,
  attempted: Pick<WebhookEndpoint, 'id' | 'url'>,
  reason: Extract<DisabledReason, 'gone' | 'deliveries_failed'>,
): ResultAsync<boolean, Unavailable> {
  return updateExistingEndpoint(endpoints, { owner, id: attempted.id }, (before) => {
    // The response of a URL says nothing about the URL that has replaced it.
    if (before.url !== attempted.url) return ok({ after: before, event: null });
    const now = currentTimestamp(clock);
    const { after, event } = applyEndpointChange(before, { status: 'disabled' }, reason, now);
    return ok({ after, event: event && createEvent(ids, owner, UNKNOWN_AUTHOR, event, after) });
  }).map((event) => event !== null);
}
