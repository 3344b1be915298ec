import type { DefaultDefinition, OrderDefinition } from '../../orders/order-lifecycle.ts';
import type { EventFeed } from '../../events/event-feed.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import { FEED_INCLUDES } from '../../event-types.ts';
import type { Owner } from '../../shared/ids.ts';
import type { WebhookEndpointRepository } from '../../webhooks/webhook-endpoint-repository.ts';
import { anEventOfEndpoint, aWebhookEndpoint } from '../builders.ts';
import { anOwner, type StoreSubject, succeeds } from '../contract-subject.ts';
import { KindBench } from '../kind-bench.ts';

/** A store under test, with webhook endpoints and the feed on the same data. */
export interface WebhookEndpointSubject<D extends OrderDefinition = DefaultDefinition> extends StoreSubject<D> {
  readonly webhookEndpoints: WebhookEndpointRepository<D>;
  readonly feed: EventFeed<D>;
  readonly openAnother?: (() => Promise<WebhookEndpointSubject<D>> | WebhookEndpointSubject<D>) | undefined;
}

/** Opens the store under test. Each test calls it once. The store may contain data, as every test uses new owners. */
export type OpenWebhookEndpointSubject<D extends OrderDefinition = DefaultDefinition> = () =>
  | Promise<WebhookEndpointSubject<D>>
  | WebhookEndpointSubject<D>;

/** A store under test, with the endpoints of one owner. */
export class EndpointBench {
  readonly server: WebhookEndpointSubject<OrderDefinition>;
  readonly owner: Owner = anOwner();
  readonly endpoints;

  constructor(server: WebhookEndpointSubject<OrderDefinition>) {
    this.server = server;
    this.endpoints = endpointsOf(server.webhookEndpoints, this.owner);
  }

  /** Returns all events in the feed of the owner, with their resources. */
  async feed(): Promise<readonly FeedEvent<OrderDefinition>[]> {
    const query = { after: null, start: 'oldest', limit: 100, types: null, include: FEED_INCLUDES } as const;
    return (await succeeds(this.server.feed.read(this.owner, query))).data;
  }
}

/** Returns the endpoints of an owner in a store under test. */
export function endpointsOf(store: WebhookEndpointRepository<OrderDefinition>, owner: Owner) {
  const builders = {
    build: () => aWebhookEndpoint<OrderDefinition>(),
    eventOf: anEventOfEndpoint,
    deleted: 'webhook_endpoint.deleted',
  } as const;
  return new KindBench(store, owner, builders);
}
