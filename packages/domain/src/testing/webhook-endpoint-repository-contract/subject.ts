import type { Written } from '../../aggregates/write-aggregate.ts';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { ORDERS } from '../../orders/order-lifecycle.ts';
import type { EventFeed } from '../../events/event-feed.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import { FEED_INCLUDES } from '../../event-types.ts';
import type { Owner } from '../../shared/ids.ts';
import type { WebhookEndpointEvent } from '../../webhooks/endpoint-kind.ts';
import type { WebhookEndpointRepository } from '../../webhooks/webhook-endpoint-repository.ts';
import type { WebhookEndpoint } from '../../webhooks/webhook-endpoint.ts';
import { create } from '../aggregate-writes.ts';
import { anEventOfEndpoint, aWebhookEndpoint } from '../builders.ts';
import { anOwner, loaded, type StoreSubject, succeeds } from '../contract-subject.ts';
import { changeEndpoint, removeEndpoint } from '../endpoint-writes.ts';

/** A store under test, with webhook endpoints and the feed on the same data. */
export interface WebhookEndpointSubject<D extends OrderDefinition = typeof ORDERS> extends StoreSubject<D> {
  readonly webhookEndpoints: WebhookEndpointRepository<D>;
  readonly feed: EventFeed<D>;
  readonly openAnother?: (() => Promise<WebhookEndpointSubject<D>> | WebhookEndpointSubject<D>) | undefined;
}

/** Opens the store under test. Each test calls it once. The store may contain data, as every test uses new owners. */
export type OpenWebhookEndpointSubject<D extends OrderDefinition = typeof ORDERS> = () =>
  | Promise<WebhookEndpointSubject<D>>
  | WebhookEndpointSubject<D>;

type Endpoint = WebhookEndpoint<OrderDefinition>;

/** A store under test, with the endpoints of one owner. */
export class EndpointBench {
  readonly server: WebhookEndpointSubject<OrderDefinition>;
  readonly owner: Owner = anOwner();

  constructor(server: WebhookEndpointSubject<OrderDefinition>) {
    this.server = server;
  }

  /** Returns an endpoint as the store has it. */
  async endpoint(id: string): Promise<Endpoint> {
    return (await loaded(this.server.webhookEndpoints, this.owner, id)).aggregate;
  }

  /** Attempts to store `endpoint`. */
  tryStore(endpoint: Endpoint = aWebhookEndpoint()) {
    const event = anEventOfEndpoint(this.owner, endpoint);
    return create(this.server.webhookEndpoints, this.owner, endpoint, event);
  }

  /** Stores `endpoint` and returns it. */
  async store(endpoint?: Endpoint): Promise<Endpoint> {
    return (await succeeds(this.tryStore(endpoint))).aggregate;
  }

  /** Changes `fields` of an endpoint, and returns it with its event, which `event` overrides. */
  update(
    id: string,
    fields: Partial<Endpoint>,
    event?: Partial<WebhookEndpointEvent>,
  ): Promise<Written<Endpoint, WebhookEndpointEvent>> {
    return changeEndpoint(this.server.webhookEndpoints, this.owner, id, fields, event);
  }

  /** Deletes an endpoint. */
  remove(id: string): Promise<void> {
    return removeEndpoint(this.server.webhookEndpoints, this.owner, id);
  }

  /** Returns all events in the feed of the owner, with their resources. */
  async feed(): Promise<readonly FeedEvent<OrderDefinition>[]> {
    const query = { after: null, start: 'oldest', limit: 100, types: null, include: FEED_INCLUDES } as const;
    return (await succeeds(this.server.feed.read(this.owner, query))).data;
  }
}
