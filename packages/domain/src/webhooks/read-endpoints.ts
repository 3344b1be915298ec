import type { ResultAsync } from 'neverthrow';
import { getAggregate } from '../aggregates/get-aggregate.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { type PageQueryInput, parsePageQuery } from '../shared/page-query.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { AnyEndpoint } from './webhook-endpoint.ts';
import type { WebhookEndpointNotFound } from './webhook-errors.ts';
import type { WebhookPorts } from './webhooks.ts';

/** Returns one endpoint of the owner, or `webhook_endpoint_not_found`. */
export function getEndpoint(
  { endpoints }: Pick<WebhookPorts<OrderDefinition>, 'endpoints'>,
  owner: Owner,
  endpointId: string | ResourceId,
): ResultAsync<AnyEndpoint, Unavailable | WebhookEndpointNotFound> {
  return getAggregate(endpoints, owner, endpointId, 'webhook_endpoint_not_found');
}

/** Returns one page of the owner's endpoints, with the guarantees of `listOrders` about consecutive pages. */
export function listEndpoints(
  { endpoints }: Pick<WebhookPorts<OrderDefinition>, 'endpoints'>,
  owner: Owner,
  input: PageQueryInput = {},
): ResultAsync<Page<AnyEndpoint, Timestamp>, Unavailable | ValidationFailed> {
  return parsePageQuery(input).asyncAndThen((query) => endpoints.list(owner, query));
}
