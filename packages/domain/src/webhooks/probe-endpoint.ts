import { ResultAsync } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { UNKNOWN_AUTHOR } from '../shared/author.ts';
import { currentTimestamp } from '../shared/clock.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { endpointKind } from './endpoint-kind.ts';
import { getEndpoint } from './read-endpoints.ts';
import type { WebhookEndpointNotFound } from './webhook-errors.ts';
import type { Attempt, WebhookMessage } from './webhook-sender.ts';
import type { AnyEndpoint } from './webhook-endpoint.ts';
import { webhookMessage } from './webhook-message.ts';
import type { DefinedWebhookPorts, WebhookPorts } from './webhooks.ts';

/** The type of the message that {@link Webhooks.testEndpoint} sends. No event of the feed has it. */
export const TEST_MESSAGE_TYPE = 'webhook_endpoint.test';

/**
 * Sends one message of the type {@link TEST_MESSAGE_TYPE} to an endpoint, whatever its status and types. Returns the
 * result of the attempt, which is recorded nowhere and not repeated.
 */
export function testEndpoint(
  ports: DefinedWebhookPorts,
  owner: Owner,
  id: string | ResourceId,
): ResultAsync<Attempt, Unavailable | WebhookEndpointNotFound> {
  return getEndpoint(ports, owner, id).andThen((endpoint) =>
    ResultAsync.fromSafePromise<Attempt, never>(ports.sender.send(owner, endpoint, testMessage(ports, endpoint))),
  );
}

/** Creates a message with the members of an event, but without a position, because it is not in the feed. */
function testMessage({ ids, clock }: WebhookPorts<OrderDefinition>, { id, version }: AnyEndpoint): WebhookMessage {
  const event = {
    id: ids.next(),
    position: null,
    type: TEST_MESSAGE_TYPE,
    resource: { type: endpointKind.name, id, version },
    changed: [],
    occurred_at: currentTimestamp(clock),
    ...UNKNOWN_AUTHOR,
  };
  return webhookMessage(event, event);
}
