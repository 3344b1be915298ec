import type { Owner } from '@orders/domain';
import type { FeedEvent } from '@orders/domain/events';
import {
  type Attempt,
  createWebhooks,
  type SendingEndpoint,
  type UntypedWebhooks,
  untypedWebhooks,
  type WebhookEndpoint,
  type WebhookMessage,
  type WebhookPorts,
} from '@orders/domain/webhooks';
import { type FixedClock, fixedClock, type InMemoryStore, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { err, ok } from 'neverthrow';
import { NOW, OWNER, succeeds } from './a-domain.ts';

/** A message that was sent, and the endpoint at that time. */
interface Sent {
  readonly owner: Owner;
  readonly endpoint: SendingEndpoint;
  readonly message: WebhookMessage;
}

/** All use cases of webhooks on an in-memory store, with access to the store, its clock and what was sent. */
export interface WebhooksUnderTest extends UntypedWebhooks {
  readonly clock: FixedClock;
  readonly store: InMemoryStore;
  readonly ports: WebhookPorts;
  readonly sent: readonly Sent[];
  /** Makes the server derive new secrets from this key. */
  useKey(key: string): void;
}

/** The result of every attempt. */
export const ATTEMPT: Attempt = { status: 503, error: 'status_not_accepted', duration_ms: 7, retryAfterMs: null };

/** Creates the use cases of webhooks; `ports` override those of the store. */
export function aWebhooks(ports: Partial<WebhookPorts> = {}): WebhooksUnderTest {
  const clock = fixedClock(NOW);
  const store = inMemoryStore({ clock });
  const sent: Sent[] = [];
  let newestKey = 'key-1';
  const all: WebhookPorts = {
    endpoints: store.webhookEndpoints,
    deliveries: store.webhookDeliveries,
    feed: store.feed,
    secrets: {
      newestKey: () => newestKey,
      derive: (owner, id, { serial, key }) => `whsec_${owner}/${id}/${serial}/${key}`,
    },
    sender: {
      send: (owner, endpoint, message) => {
        sent.push({ owner, endpoint, message });
        return Promise.resolve(ATTEMPT);
      },
    },
    // As the URL standard does for a space: what is sent may be shorter than its normal form.
    targets: {
      parse: (url) => (url.startsWith('https://') ? ok(url.replaceAll(' ', '%20')) : err('must be an https URL')),
    },
    clock,
    ids: sequentialIds(0x7),
    ...ports,
  };
  const webhooks = untypedWebhooks(createWebhooks(all));
  return { ...webhooks, clock, store, ports: all, sent, useKey: (key) => void (newestKey = key) };
}

export const URL_OF_RECEIVER = 'https://receiver.example/events';

/** Creates an endpoint of {@link OWNER} and returns it. */
export async function anEndpoint(webhooks: UntypedWebhooks, fields: object = {}): Promise<WebhookEndpoint> {
  return (await succeeds(webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER, ...fields }))).endpoint;
}

/** Returns the events of {@link OWNER} with their resources. */
export async function feedOf({ store }: WebhooksUnderTest): Promise<readonly FeedEvent[]> {
  const query = { after: null, start: 'oldest', limit: 100, types: null, include: ['resource'] } as const;
  return (await succeeds(store.feed.read(OWNER, query))).data;
}
