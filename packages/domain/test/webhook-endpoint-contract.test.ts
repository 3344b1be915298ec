import type { Owner } from '@orders/domain';
import type { FeedEvent } from '@orders/domain/events';
import type { WebhookEndpoint, WebhookEndpointRepository } from '@orders/domain/webhooks';
import {
  aCustomer,
  anEventOfCustomer,
  anEventOfEndpoint,
  aWebhookEndpoint,
  inMemoryStore,
  webhookEndpointRepositoryContract,
  type WebhookEndpointSubject,
} from '@orders/domain/testing';
import { err, errAsync, ok, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type FaultOf, isErrorOf, itCatchesFaults, OwnersById } from './contract-faults.ts';
import { catchingBugs } from './faulty-stores.ts';

type Fault = FaultOf<WebhookEndpointSubject>;
type Inject = Fault[1];

function aCorrectStore(): WebhookEndpointSubject {
  const { events, ...store } = inMemoryStore();
  return { ...store, events: (owner) => Promise.resolve(events().filter((event) => event.owner === owner)) };
}

/** Injects a store with some methods replaced. */
const replacing =
  (
    replace: (correct: WebhookEndpointRepository, store: WebhookEndpointSubject) => Partial<WebhookEndpointRepository>,
  ): Inject =>
  (store) => ({ ...store, webhookEndpoints: { ...store.webhookEndpoints, ...replace(store.webhookEndpoints, store) } });

/** Injects a store whose `find` alters endpoints. */
const finding = (alter: (endpoint: WebhookEndpoint) => WebhookEndpoint): Inject =>
  replacing((correct) => ({ find: (owner, id) => correct.find(owner, id).map(alter) }));

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

/** Injects a store that ignores the idempotency keys of one method. */
const withoutKeysOf = (method: 'insert' | 'update' | 'delete'): Inject =>
  replacing((correct) => ({
    ...(method === 'insert' && { insert: (owner, created) => correct.insert(owner, created) }),
    ...(method === 'update' && { update: (owner, id, change) => correct.update(owner, id, change) }),
    ...(method === 'delete' && { delete: (owner, id, decide) => correct.delete(owner, id, decide) }),
  }));

/** Injects a store that looks endpoints up by their id alone. */
const byIdAlone: Inject = (store) => {
  const owners = new OwnersById();
  return replacing((correct) => ({
    insert: (owner, created, idempotency) => {
      owners.note(created.endpoint.id, owner);
      return correct.insert(owner, created, idempotency);
    },
    find: (owner, id) => correct.find(owners.of(id, owner), id),
  }))(store);
};

const insteadOfTooMany = (owner: Owner, endpoint: WebhookEndpoint) =>
  ok({ endpoint, event: anEventOfEndpoint(owner, endpoint), replayed: false });

const faults: readonly Fault[] = [
  ['loses the types', finding((endpoint) => ({ ...endpoint, types: null })), /creating .* stores every field/],
  ['loses an older secret', finding((one) => ({ ...one, secrets: one.secrets.slice(0, 1) })), /stores every field/],
  ['rounds the start', finding((one) => ({ ...one, start: one.start & 0xff_ff })), /stores every field unchanged/],
  [
    'accepts an eleventh endpoint',
    replacing((correct) => ({
      insert: (owner, created, idempotency) =>
        correct
          .insert(owner, created, idempotency)
          .orElse((error) =>
            isErrorOf(error, 'too_many_endpoints') ? insteadOfTooMany(owner, created.endpoint) : err(error),
          ),
    })),
    /is limited to ten of one owner/,
  ],
  [
    'accepts more than ten concurrent endpoints',
    replacing((correct) => {
      let running = 0;
      return {
        insert: (owner, created, idempotency) => {
          running += 1;
          const isConcurrent = running > 1;
          const done = <T>(value: T): T => {
            running -= 1;
            return value;
          };
          return correct
            .insert(owner, created, idempotency)
            .map(done)
            .mapErr(done)
            .orElse((error) =>
              isConcurrent && isErrorOf(error, 'too_many_endpoints')
                ? insteadOfTooMany(owner, created.endpoint)
                : err(error),
            );
        },
      };
    }),
    /exactly ten of thirty/,
  ],
  [
    'counts deleted endpoints',
    replacing((correct) => {
      const full = new Set<Owner>();
      return {
        insert: (owner, created, idempotency) =>
          full.has(owner)
            ? errAsync({ type: 'too_many_endpoints' as const })
            : correct.insert(owner, created, idempotency).mapErr((error) => {
                if (isErrorOf(error, 'too_many_endpoints')) full.add(owner);
                return error;
              }),
      };
    }),
    /a deletion makes room/,
  ],
  [
    'counts the endpoints of all owners',
    replacing((correct) => {
      let count = 0;
      return {
        insert: (owner, created, idempotency) => {
          count += 1;
          return count > 12
            ? errAsync({ type: 'too_many_endpoints' as const })
            : correct.insert(owner, created, idempotency);
        },
      };
    }),
    /is limited to ten of one owner/,
  ],
  [
    'enters the creation into the feed',
    replacing((correct, { customers }) => ({
      insert: (owner, created, idempotency) =>
        correct.insert(owner, created, idempotency).map((written) => {
          const customer = aCustomer();
          void customers.insert(owner, { customer, event: anEventOfCustomer(owner, customer) });
          return written;
        }),
    })),
    /creating .* enters nothing into the feed/,
  ],
  ['keeps disabled endpoints out of the feed', reading(() => []), /enters webhook_endpoint.disabled into the feed/],
  [
    'loses the actor',
    reading((events) => events.map((event) => ({ ...event, actor: null }))),
    /enters webhook_endpoint.disabled into the feed/,
  ],
  [
    'overwrites an endpoint with the same id',
    replacing((correct) => ({
      insert: (owner, created, idempotency) =>
        catchingBugs(correct.insert(owner, created, idempotency)).orElse((error) =>
          error.type === 'unavailable' ? insteadOfTooMany(owner, created.endpoint) : err(error),
        ),
    })),
    /rejects an id that exists/,
    /no rejection/,
  ],
  [
    'returns what it stores',
    replacing((correct) => {
      const returned = new Map<string, WebhookEndpoint>();
      return {
        find: (owner, id) =>
          correct.find(owner, id).map((endpoint) => {
            const shared = returned.get(id) ?? endpoint;
            returned.set(id, shared);
            return shared;
          }),
      };
    }),
    /copies arguments and results/,
  ],
  [
    'does not store the description',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct.update(
          owner,
          id,
          (before) =>
            change(before).map(({ endpoint, event }) => ({
              endpoint: { ...endpoint, description: before.description },
              event,
            })),
          idempotency,
        ),
    })),
    /updating .* stores every field/,
  ],
  [
    'stores a decision without an event',
    finding((endpoint) => ({ ...endpoint, description: 'not stored' })),
    /stores nothing without an event/,
  ],
  [
    'stores an endpoint whose change failed',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct
          .update(owner, id, change, idempotency)
          .orElse((error) =>
            isErrorOf(error, 'no')
              ? correct.find(owner, id).map((endpoint) => ({ endpoint, event: null, replayed: false }))
              : err(error),
          ),
    })),
    /returns the error of the change/,
  ],
  [
    'moves the start',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct
          .update(owner, id, change, idempotency)
          .map((written) => ({ ...written, endpoint: { ...written.endpoint, start: 8 } })),
    })),
    /never changes id, start/,
  ],
  [
    'calls change for a nonexistent endpoint',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct.update(owner, id, change, idempotency).orElse((error) => {
          if (isErrorOf(error, 'webhook_endpoint_not_found')) change(aWebhookEndpoint({ id }));
          return err(error);
        }),
    })),
    /without calling change/,
    /: change was called/,
  ],
  [
    'loses one of two concurrent changes',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct.find(owner, id).andThen((stale) =>
          correct.update(
            owner,
            id,
            ({ version }) =>
              change(stale).map(({ endpoint, event }) => ({
                endpoint: { ...endpoint, version: version + 1 },
                event: event && { ...event, version: version + 1 },
              })),
            idempotency,
          ),
        ),
    })),
    /loses none of many concurrent rotations/,
  ],
  [
    'stores a decision of any version as the next one',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) =>
        correct.update(
          owner,
          id,
          (before) =>
            change(before).map(({ endpoint, event }) => ({
              endpoint: { ...endpoint, version: before.version + 1 },
              event: event && { ...event, version: before.version + 1 },
            })),
          idempotency,
        ),
    })),
    /whose version is not the next one/,
    /no rejection/,
  ],
  [
    'takes an exception of change for a failure of the database',
    replacing((correct) => ({
      update: (owner, id, change, idempotency) => catchingBugs(correct.update(owner, id, change, idempotency)),
    })),
    /rejects when change throws/,
    /no rejection/,
  ],
  [
    'reports a deletion, but does not delete',
    replacing((correct) => ({
      delete: (owner, id, decide) =>
        correct
          .find(owner, id)
          .andThen(decide)
          .map((event) => ({ event, replayed: false })),
    })),
    /deleting .* removes the endpoint/,
  ],
  [
    'deletes against the decision',
    replacing((correct) => ({
      delete: (owner, id, decide, idempotency) =>
        correct.delete(
          owner,
          id,
          (before) =>
            ok(decide(before).unwrapOr(anEventOfEndpoint(owner, before, { type: 'webhook_endpoint.deleted' }))),
          idempotency,
        ),
    })),
    /returns the error of decide/,
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
    /erases all versions of this endpoint alone/,
  ],
  [
    'erases the data of all endpoints in the feed',
    (store) => {
      let hasDeleted = false;
      const feed = reading((events) =>
        events.map((event) =>
          hasDeleted && event.resource.type === 'webhook_endpoint'
            ? { ...event, resource: { ...event.resource, data: null } }
            : event,
        ),
      )(store);
      return replacing((correct) => ({
        delete: (...deletion) => {
          hasDeleted = true;
          return correct.delete(...deletion);
        },
      }))(feed);
    },
    /erases all versions of this endpoint alone/,
  ],
  [
    'replays a change that ran while the endpoint was deleted',
    replacing((correct) => {
      const results = new Map<string, WebhookEndpoint>();
      return {
        update: (owner, id, change, idempotency) =>
          correct
            .update(owner, id, change, idempotency)
            .map((written) => {
              if (idempotency) results.set(idempotency.key, written.endpoint);
              return written;
            })
            .orElse((error) => {
              const endpoint = results.get(idempotency?.key ?? '');
              return endpoint ? okAsync({ endpoint, event: null, replayed: true }) : errAsync(error);
            }),
      };
    }),
    /erases what concurrent changes have recorded/,
  ],
  ['finds the endpoints of other owners', byIdAlone, /of another owner is not found/],
  ['ignores the key of a creation', withoutKeysOf('insert'), /happens once/],
  ['ignores the key of a change', withoutKeysOf('update'), /happens once/],
  ['ignores the key of a deletion', withoutKeysOf('delete'), /erases all versions/],
  [
    'replays the newest version',
    replacing((correct) => ({
      insert: (owner, created, idempotency) =>
        correct
          .insert(owner, created, idempotency)
          .andThen((written) =>
            written.replayed
              ? correct.find(owner, written.endpoint.id).map((endpoint) => ({ ...written, endpoint }))
              : okAsync(written),
          ),
    })),
    /retries return its result after later changes/,
  ],
  [
    'takes every command with a key for a retry',
    replacing((correct) => ({
      insert: (owner, created, idempotency) =>
        correct.insert(owner, created, idempotency && { ...idempotency, fingerprint: 'a command' }),
    })),
    /belongs to another command/,
  ],
  [
    'creates one endpoint for each concurrent call',
    replacing((correct) => {
      let running = 0;
      return {
        insert: (owner, created, idempotency) => {
          running += 1;
          const done = <T>(value: T): T => {
            running -= 1;
            return value;
          };
          return correct
            .insert(owner, created, running > 1 ? undefined : idempotency)
            .map(done)
            .mapErr(done);
        },
      };
    }),
    /creates one endpoint for ten concurrent calls/,
  ],
  [
    'keeps expired keys',
    replacing((correct) => ({
      insert: (owner, created, idempotency) =>
        correct.insert(owner, created, idempotency && { ...idempotency, expires_at: '2999-01-01T00:00:00.000Z' }),
    })),
    /can use a key that has expired/,
  ],
  [
    'compares ids with their case',
    replacing((correct) => ({
      find: (owner, id) =>
        id === id.toLowerCase() ? correct.find(owner, id) : errAsync({ type: 'webhook_endpoint_not_found', id }),
    })),
    /accessible by an id in either case/,
  ],
  [
    'lists in the order of creation only',
    replacing((correct) => ({ list: (owner, query) => correct.list(owner, { ...query, sort: 'created_at' }) })),
    /in each sort order/,
  ],
  [
    'ends a list after its first page',
    replacing((correct) => ({
      list: (owner, query) => correct.list(owner, query).map((page) => ({ ...page, next: null })),
    })),
    /pages that continue/,
  ],
  [
    'ignores the offset',
    replacing((correct) => ({ list: (owner, query) => correct.list(owner, { ...query, offset: 0 }) })),
    /skips as many endpoints/,
  ],
];

describe('the contract of the port of webhook endpoints', () => {
  itCatchesFaults(webhookEndpointRepositoryContract, aCorrectStore, faults);
});
