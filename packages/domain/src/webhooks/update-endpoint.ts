import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { changeAggregate, changeByCommand, type Decision, except } from '../aggregates/write-aggregate.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { EventOutline } from '../shared/domain-event.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import type { WebhookEndpointEvent, WebhookEndpointEventType } from './endpoint-kind.ts';
import {
  endpointWritten,
  type WebhookEndpointRepository,
  type WebhookEndpointWritten,
} from './webhook-endpoint-repository.ts';
import type { AnyEndpoint } from './webhook-endpoint.ts';
import type { ChangeEndpointError, DefinedWebhookPorts } from './webhooks.ts';

const missing = 'webhook_endpoint_not_found';

/** Changes an endpoint by a command of its owner; see {@link changeByCommand}. */
export function changeEndpointBy<Command>(
  ports: DefinedWebhookPorts,
  target: { readonly owner: Owner; readonly id: string | ResourceId; readonly operation: string },
  parsed: Result<Command, ValidationFailed>,
  options: ChangeOptions,
  decide: (
    before: AnyEndpoint,
    command: Command,
    now: Timestamp,
  ) => Decision<AnyEndpoint, EventOutline<WebhookEndpointEventType>>,
): ResultAsync<WebhookEndpointWritten, ChangeEndpointError> {
  const decided = (...of: Parameters<typeof decide>) => ok(decide(...of));
  return changeByCommand(ports, { ...target, store: ports.endpoints, missing }, parsed, options, decided)
    .map(endpointWritten)
    .mapErr(except('too_many_endpoints'));
}

/** Changes an endpoint for the server itself. Returns the event; `null` if nothing changed or the endpoint was deleted. */
export function updateExistingEndpoint(
  store: WebhookEndpointRepository<OrderDefinition>,
  { owner, id }: { readonly owner: Owner; readonly id: string },
  decide: (before: AnyEndpoint) => Result<Decision<AnyEndpoint, WebhookEndpointEvent>, never>,
): ResultAsync<WebhookEndpointEvent | null, Unavailable> {
  return changeAggregate({ store, owner, key: undefined, missing }, id, decide)
    .map(({ event }) => event)
    .orElse((error): Result<null, Unavailable> => {
      if (error.type === missing) return ok(null);
      // Without an idempotency key, no key can have been used for another command.
      return err(error.type === 'unavailable' ? error : { type: 'unavailable', cause: error });
    });
}
