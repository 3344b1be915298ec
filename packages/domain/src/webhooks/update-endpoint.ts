import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { changeAggregate, type Decision, except } from '../aggregates/write-aggregate.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { Idempotency, KeyReused } from '../shared/idempotency.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { WebhookEndpointEvent } from './endpoint-kind.ts';
import {
  endpointWritten,
  type WebhookEndpointRepository,
  type WebhookEndpointWritten,
} from './webhook-endpoint-repository.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import type { WebhookEndpointNotFound } from './webhook-errors.ts';

/** The endpoint that a write changes, and the key of the write. */
interface Target {
  readonly owner: Owner;
  readonly id: string;
  readonly key: Idempotency | undefined;
}

type Decide<Rejected> = (
  before: WebhookEndpoint<OrderDefinition>,
) => Result<Decision<WebhookEndpoint<OrderDefinition>, WebhookEndpointEvent>, Rejected>;

/** Changes an endpoint by a decision about its newest version. All use cases that change an endpoint share it. */
export function updateEndpoint<Rejected extends { readonly type: string }>(
  store: WebhookEndpointRepository<OrderDefinition>,
  { owner, id, key }: Target,
  decide: Decide<Rejected>,
): ResultAsync<
  WebhookEndpointWritten<OrderDefinition>,
  Exclude<Rejected, { readonly type: 'too_many_endpoints' }> | WebhookEndpointNotFound | KeyReused | Unavailable
> {
  return changeAggregate({ store, owner, key, missing: 'webhook_endpoint_not_found' }, id, decide)
    .map(endpointWritten)
    .mapErr(except('too_many_endpoints'));
}

/** Changes an endpoint for the server itself. Returns the event; `null` if nothing changed or the endpoint was deleted. */
export function updateExistingEndpoint(
  store: WebhookEndpointRepository<OrderDefinition>,
  target: Omit<Target, 'key'>,
  decide: Decide<never>,
): ResultAsync<WebhookEndpointEvent | null, Unavailable> {
  return updateEndpoint(store, { ...target, key: undefined }, decide)
    .map(({ event }) => event)
    .orElse((error): Result<null, Unavailable> => {
      if (error.type === 'webhook_endpoint_not_found') return ok(null);
      // Without an idempotency key, no key can have been used for another command.
      return err(error.type === 'unavailable' ? error : { type: 'unavailable', cause: error });
    });
}
