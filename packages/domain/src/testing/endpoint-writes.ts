import type { Written } from '../aggregates/write-aggregate.ts';
import type { WebhookEndpointEvent } from '../webhooks/endpoint-kind.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { Owner } from '../shared/ids.ts';
import type { WebhookEndpointRepository } from '../webhooks/webhook-endpoint-repository.ts';
import { change, create, remove } from './aggregate-writes.ts';
import { anEventOfEndpoint, aWebhookEndpoint } from './builders.ts';
import { succeeds } from './contract-subject.ts';

type Endpoint = WebhookEndpoint<OrderDefinition>;
type Endpoints = WebhookEndpointRepository<OrderDefinition>;

/** Stores `endpoint` for `owner` and returns the stored endpoint. */
export async function storeEndpoint(
  endpoints: Endpoints,
  owner: Owner,
  endpoint: Endpoint = aWebhookEndpoint(),
): Promise<Endpoint> {
  return (await succeeds(create(endpoints, owner, endpoint, anEventOfEndpoint(owner, endpoint)))).aggregate;
}

/** Changes `fields` of an endpoint, and returns it with its event, which `event` overrides. */
export async function changeEndpoint(
  endpoints: Endpoints,
  owner: Owner,
  id: string,
  fields: Partial<Endpoint>,
  event: Partial<WebhookEndpointEvent> = {},
): Promise<Written<Endpoint, WebhookEndpointEvent>> {
  const decide = (before: Endpoint) => {
    const after = { ...before, ...fields, version: before.version + 1 };
    return { after, event: anEventOfEndpoint(owner, after, event) };
  };
  return await succeeds(change(endpoints, owner, id, decide));
}

/** Deletes an endpoint. */
export async function removeEndpoint(endpoints: Endpoints, owner: Owner, id: string): Promise<void> {
  const deletion = (before: Endpoint) => anEventOfEndpoint(owner, before, { type: 'webhook_endpoint.deleted' });
  await succeeds(remove(endpoints, owner, id, deletion));
}
