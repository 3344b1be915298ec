import type { Result, ResultAsync } from 'neverthrow';
import { isUuid, type Owner, type ResourceId } from '../shared/ids.ts';
import { checkPosition, readPageWindow } from '../shared/page-query.ts';
import type { Page, Position } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { INVALID_TEXT, InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { getEndpoint } from './read-endpoints.ts';
import { DELIVERY_STATUSES, type DeliveryQuery, type WebhookDelivery } from './webhook-delivery.ts';
import type { DeliveryNotFound, WebhookEndpointNotFound } from './webhook-errors.ts';
import type { DeliveryQueryInput, Redelivery, DefinedWebhookPorts } from './webhooks.ts';

/** Returns one page of the deliveries of an endpoint, newest event first. */
export function listDeliveries(
  ports: DefinedWebhookPorts,
  owner: Owner,
  endpointId: string | ResourceId,
  input: DeliveryQueryInput = {},
): ResultAsync<Page<WebhookDelivery, number>, Unavailable | ValidationFailed | WebhookEndpointNotFound> {
  return parseDeliveryQuery(input).asyncAndThen(({ after, ...query }) =>
    getEndpoint(ports, owner, endpointId)
      .andThen(({ id }) => checkPosition(after, id).map(() => id))
      .andThen((id) =>
        ports.deliveries
          .list(owner, id, { ...query, before: after && after.value })
          .map(({ data, next }) => ({ data, next: next && { ...next, id } })),
      ),
  );
}

/** Parses a query for a page of deliveries and reports every invalid member. */
export function parseDeliveryQuery(
  input: DeliveryQueryInput,
): Result<Omit<DeliveryQuery, 'before'> & { readonly after: Position<number> | null }, ValidationFailed> {
  const invalid = new InvalidFields();
  const query = invalid.readObject(input, ['limit', 'after', 'status']);
  const isPosition = ({ value, id }: Position<number>) => Number.isSafeInteger(value) && value >= 1 && isUuid(id);
  const { limit, after } = readPageWindow(query, isPosition, invalid);
  const status =
    query.status === undefined ? null : (invalid.readOneOf(query.status, 'status', DELIVERY_STATUSES) ?? null);
  return invalid.toResult({ limit, after, status });
}

/** Delivers an event to an endpoint again. `input` is a {@link Redelivery}. */
export function redeliver(
  ports: DefinedWebhookPorts,
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
  return invalid.toResult({ event_id: event_id ?? INVALID_TEXT });
}
