import type { Owner } from '@orders/domain';
import type { FeedEvent } from '@orders/domain/events';
import type { WebhookEndpoint, WebhookEndpointRepository } from '@orders/domain/webhooks';
import { anEventOfEndpoint, type WebhookEndpointSubject } from '@orders/domain/testing';
import { ok } from 'neverthrow';
import type { FaultOf } from '../contract-faults.ts';

/** A fault of an adapter of the port of endpoints. */
export type EndpointFault = FaultOf<WebhookEndpointSubject>;
export type Inject = EndpointFault[1];

/** Injects a store with some methods replaced. */
export const replacing =
  (
    replace: (correct: WebhookEndpointRepository, store: WebhookEndpointSubject) => Partial<WebhookEndpointRepository>,
  ): Inject =>
  (store) => ({ ...store, webhookEndpoints: { ...store.webhookEndpoints, ...replace(store.webhookEndpoints, store) } });

/** Injects a store whose `find` alters endpoints. */
export const finding = (alter: (endpoint: WebhookEndpoint) => WebhookEndpoint): Inject =>
  replacing((correct) => ({ find: (owner, id) => correct.find(owner, id).map(alter) }));

/** Injects a feed that alters what it returns. */
export const reading =
  (alter: (events: readonly FeedEvent[]) => readonly FeedEvent[]): Inject =>
  (store) => ({
    ...store,
    feed: {
      read: (owner, query) => store.feed.read(owner, query).map((page) => ({ ...page, data: alter(page.data) })),
      wait: (...wait) => store.feed.wait(...wait),
    },
  });

/** Returns a written endpoint in place of the error that there are too many. */
export const insteadOfTooMany = (owner: Owner, endpoint: WebhookEndpoint) =>
  ok({ endpoint, event: anEventOfEndpoint(owner, endpoint), replayed: false });
