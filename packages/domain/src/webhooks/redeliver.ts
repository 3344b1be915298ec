import type { Result, ResultAsync } from 'neverthrow';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { INVALID_TEXT, InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { getEndpoint } from './get-endpoint.ts';
import type { WebhookDelivery } from './webhook-delivery.ts';
import type { DeliveryNotFound, WebhookEndpointNotFound } from './webhook-errors.ts';
import type { Redelivery, WebhookPorts } from './webhooks.ts';

/** Delivers an event to an endpoint again. `input` is a {@link Redelivery}. */
export function redeliver(
  ports: WebhookPorts,
  owner: Owner,
  endpointId: string | ResourceId,
  input: unknown,
): ResultAsync<WebhookDelivery, DeliveryNotFound | Unavailable | ValidationFailed | WebhookEndpointNotFound> {
  return parseRedelivery(input).asyncAndThen(({ event_id }) =>
    getEndpoint(ports, owner, endpointId).andThen(({ id }) => ports.deliveries.redeliver(owner, id, event_id)),
  );
}

function parseRedelivery(input: unknown): Result<Redelivery, ValidationFailed> {
  const invalid = new InvalidFields();
  const { event_id: id } = invalid.readObject(input, ['event_id']);
  const isAbsent = id === undefined || id === null;
  const event_id = isAbsent ? invalid.add('event_id', 'required', 'is required') : invalid.readUuid(id, 'event_id');
  return invalid.settle({ event_id: event_id ?? INVALID_TEXT });
}
