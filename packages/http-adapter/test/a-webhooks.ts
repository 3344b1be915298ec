import { createHmac } from 'node:crypto';
import type { Clock, OrderDefinition } from '@orders/domain';
import { fixedClock, type InMemoryStore, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import {
  type Attempt,
  createWebhooks,
  type WebhookDeliveries,
  type WebhookPorts,
  type Webhooks,
  type WebhookSecrets,
  type WebhookSender,
  type WebhookTargets,
} from '@orders/domain/webhooks';
import { err, ok } from 'neverthrow';

/** Creates the use cases of webhooks on an in-memory store, with other ports in place of some. */
export function aWebhooks(
  store: InMemoryStore = inMemoryStore(),
  clock: Clock = fixedClock(),
  other: Partial<WebhookPorts> = {},
): Webhooks {
  return createWebhooks({ ...portsOn(store, clock), ...other });
}

/** Creates the use cases of webhooks for orders of a definition. */
export function webhooksOf<D extends OrderDefinition>(
  definition: D,
  store: InMemoryStore<D>,
  clock: Clock = fixedClock(),
): Webhooks<D> {
  return createWebhooks(portsOn(store, clock), definition);
}

function portsOn<D extends OrderDefinition>(store: InMemoryStore<D>, clock: Clock): WebhookPorts<D> {
  return {
    endpoints: store.webhookEndpoints,
    deliveries: currentDeliveries(store),
    feed: store.feed,
    secrets: derivedSecrets('test'),
    sender: senderWith({ status: 204, error: null, duration_ms: 12, retryAfterMs: null }),
    targets: httpsTargets,
    clock,
    // Another series than that of the domain.
    ids: sequentialIds(1),
  };
}

/** Returns the deliveries of a store after every event got its own, as if a worker always ran. It sends nothing. */
function currentDeliveries<D extends OrderDefinition>({
  webhookQueue,
  webhookDeliveries,
}: InMemoryStore<D>): WebhookDeliveries<D> {
  return {
    list: (owner, ...rest) => webhookQueue.fanOut(owner).andThen(() => webhookDeliveries.list(owner, ...rest)),
    redeliver: (owner, ...rest) =>
      webhookQueue.fanOut(owner).andThen(() => webhookDeliveries.redeliver(owner, ...rest)),
  };
}

/** Derives secrets from one key, which has its own text as the fingerprint. */
export function derivedSecrets(key: string): WebhookSecrets {
  return {
    newestKey: () => key,
    derive: (owner, endpointId, { serial }) => {
      const parts = JSON.stringify([owner, endpointId, serial]);
      return `whsec_${createHmac('sha256', key).update(parts).digest('base64')}`;
    },
  };
}

/** Creates a sender whose attempts have one result. The server's own tests send to real endpoints. */
export function senderWith(attempt: Attempt): WebhookSender {
  return { send: () => Promise.resolve(attempt) };
}

/** Accepts the https URLs on port 443 without credentials. */
export const httpsTargets: WebhookTargets = {
  parse: (text) => {
    if (!URL.canParse(text)) return err('must be an absolute URL');
    const url = new URL(text);
    if (url.protocol !== 'https:' || url.port !== '') return err('must be an https URL on port 443');
    return url.username === '' && url.password === '' ? ok(url.href) : err('must not contain credentials');
  },
};
