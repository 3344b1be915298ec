import type { FeedEvent } from '@orders/domain/events';
import type { WebhookEndpoint, WebhookEndpointRepository } from '@orders/domain/webhooks';
import {
  aCustomer,
  anEventOfCustomer,
  aWebhookEndpoint,
  webhookEndpointRepositoryContract,
  type WebhookEndpointSubject,
} from '@orders/domain/testing';
import { errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type FaultOf, itCatchesFaults } from './contract-faults.ts';
import { aStoreOfEndpoints } from './store-faults/every-kind.ts';

type EndpointFault = FaultOf<WebhookEndpointSubject>;
type Inject = EndpointFault[1];

const EVERYTHING = { sort: 'created_at', limit: 100, offset: 0, after: null } as const;
const TOO_MANY = { type: 'refused', reason: { type: 'too_many_endpoints' } } as const;

/** Injects a store with some methods replaced. */
const replacing =
  (
    replace: (correct: WebhookEndpointRepository, store: WebhookEndpointSubject) => Partial<WebhookEndpointRepository>,
  ): Inject =>
  (store) => ({ ...store, webhookEndpoints: { ...store.webhookEndpoints, ...replace(store.webhookEndpoints, store) } });

/** Injects a store that alters the endpoints that it loads. */
const loading = (alter: (endpoint: WebhookEndpoint) => WebhookEndpoint): Inject =>
  replacing((correct) => ({
    load: (owner, id) =>
      correct.load(owner, id).map((found) => found && { ...found, aggregate: alter(found.aggregate) }),
  }));

/** Injects a feed that alters what it returns. */
const reading =
  (alter: (events: readonly FeedEvent[]) => readonly FeedEvent[]): Inject =>
  (store) => ({
    ...store,
    feed: {
      read: (owner, query) => store.feed.read(owner, query).map((page) => ({ ...page, data: alter(page.data) })),
      wait: (...wait) => store.feed.wait(...wait),
    },
  });

const faults: readonly EndpointFault[] = [
  ['loses the types', loading((endpoint) => ({ ...endpoint, types: null })), /has every field unchanged/],
  [
    'loses an older secret',
    loading((endpoint) => ({ ...endpoint, secrets: endpoint.secrets.slice(0, 1) })),
    /has every field unchanged/,
  ],
  [
    'rounds the start',
    loading((endpoint) => ({ ...endpoint, start: endpoint.start & 0xff_ff })),
    /has every field unchanged/,
  ],
  [
    'does not store a new description',
    replacing((correct) => ({
      commit: (owner, write) => {
        if (write.kind !== 'change') return correct.commit(owner, write);
        const { description } = write.before.aggregate;
        return correct.commit(owner, { ...write, after: { ...write.after, description } });
      },
    })),
    /also after a change/,
  ],
  [
    'accepts an eleventh endpoint',
    replacing((correct) => ({
      commit: (owner, write) =>
        correct.commit(owner, write).orElse((error) => (error.type === 'refused' ? okAsync(null) : errAsync(error))),
    })),
    /is limited to ten of one owner/,
  ],
  [
    'accepts more than ten concurrent endpoints',
    replacing((correct) => {
      let running = 0;
      return {
        commit: (owner, write) => {
          running += 1;
          const isConcurrent = running > 1;
          const done = <T>(value: T): T => {
            running -= 1;
            return value;
          };
          return correct
            .commit(owner, write)
            .map(done)
            .mapErr(done)
            .orElse((error) => (isConcurrent && error.type === 'refused' ? okAsync(null) : errAsync(error)));
        },
      };
    }),
    /is ten after thirty/,
  ],
  [
    'counts deleted endpoints',
    replacing((correct) => {
      const counts = new Map<string, number>();
      return {
        commit: (owner, write) => {
          const count = (counts.get(owner) ?? 0) + Number(write.kind === 'create');
          if (count > 11 && write.kind === 'create') return errAsync(TOO_MANY);
          counts.set(owner, count);
          return correct.commit(owner, write);
        },
      };
    }),
    /a deletion makes room/,
  ],
  [
    'counts the endpoints of all owners',
    replacing((correct) => {
      let count = 0;
      return {
        commit: (owner, write) => {
          count += Number(write.kind === 'create');
          return count > 11 && write.kind === 'create' ? errAsync(TOO_MANY) : correct.commit(owner, write);
        },
      };
    }),
    /is limited to ten of one owner/,
  ],
  [
    'needs room for a change',
    replacing((correct) => ({
      commit: (owner, write) =>
        correct
          .list(owner, EVERYTHING)
          .andThen(({ data }) =>
            write.kind === 'change' && data.length === 10 ? errAsync(TOO_MANY) : correct.commit(owner, write),
          ),
    })),
    /is limited to ten of one owner/,
    /unexpected error/,
  ],
  [
    'enters the creation into the feed',
    replacing((correct, { customers }) => ({
      commit: (owner, write) => {
        const after = aCustomer();
        const event = anEventOfCustomer(owner, after);
        return correct.commit(owner, write).map((written) => {
          if (write.kind === 'create') void customers.commit(owner, { kind: 'create', after, event, key: undefined });
          return written;
        });
      },
    })),
    /and no other event of it/,
  ],
  ['keeps disabled endpoints out of the feed', reading(() => []), /has webhook_endpoint.disabled/],
  [
    'loses the actor in the feed',
    reading((events) => events.map((event) => ({ ...event, actor: null }))),
    /has webhook_endpoint.disabled/,
  ],
  [
    'keeps the data of a deleted endpoint in the feed',
    reading((events) =>
      events.map((event) => {
        const { resource } = event;
        if (resource.type !== 'webhook_endpoint' || resource.data) return event;
        return { ...event, resource: { ...resource, data: aWebhookEndpoint() } };
      }),
    ),
    /has no version of a deleted endpoint/,
  ],
  [
    'erases the data of all endpoints in the feed',
    reading((events) =>
      events.map((event) =>
        event.resource.type === 'webhook_endpoint' ? { ...event, resource: { ...event.resource, data: null } } : event,
      ),
    ),
    /but those of the others/,
  ],
  [
    'keeps the versions of a deleted endpoint',
    replacing((correct) => {
      const recorded = new Map<string, WebhookEndpoint>();
      return {
        commit: (owner, write) => {
          if (write.key && write.kind !== 'delete')
            recorded.set(
              write.key.key,
              structuredClone(write.kind === 'key_only' ? write.before.aggregate : write.after),
            );
          return correct.commit(owner, write);
        },
        findRecorded: (owner, key) =>
          correct
            .findRecorded(owner, key)
            .map((found) => found && { ...found, aggregate: found.aggregate ?? recorded.get(key.key) ?? null }),
      };
    }),
    /is recorded with the version that its write made/,
  ],
];

describe('the contract of the port of webhook endpoints, on its rules,', () => {
  itCatchesFaults(webhookEndpointRepositoryContract, aStoreOfEndpoints, faults);
});
