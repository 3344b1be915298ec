import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { uuidv7Ids } from '@orders/domain/runtime';
import { anEventOf, anOrder } from '@orders/domain/testing';
import type { WebhookEndpoint } from '@orders/domain/webhooks';
import { type Database, postgresOrderRepository, postgresWebhookEndpoints } from '@orders/persistence';
import { signingKeyFingerprint, webhookSecrets } from '@orders/webhooks';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished } from 'vitest';
import { execute } from '../../../../packages/persistence/test/fixtures/execute.ts';

const OWNER = 'shop';
const ORDERS = 8;

const ids = uuidv7Ids();

/** An endpoint of a test, and what it has received. */
interface TestReceiver {
  readonly url: string;
  /** The ids of the accepted messages, in order, also of repeated ones. */
  readonly accepted: readonly string[];
  /** Messages without a valid signature. */
  readonly faults: readonly string[];
}

interface ReceiverOptions {
  /** Whether it rejects the first request for each message. */
  readonly isFlaky: boolean;
}

/** A growing number of versions of orders, for the endpoints of one owner. */
export interface VersionedOrders {
  readonly signingKey: string;
  readonly receivers: readonly TestReceiver[];
  /** Stores one more version of each order. */
  readonly write: () => Promise<void>;
  /** Whether each endpoint has accepted all versions. */
  readonly areAccepted: () => boolean;
  /** Lets a minute pass for leases, and all gaps between attempts. */
  readonly letTimePass: () => Promise<void>;
  /** Expects that each endpoint has accepted the versions of each order in their order, with valid signatures. */
  readonly expectInOrder: () => void;
}

/** Stores orders of an owner, and an endpoint for each of `options`, in the database at `url`. */
export async function versionedOrders(
  database: Database,
  url: string,
  options: readonly ReceiverOptions[],
): Promise<VersionedOrders> {
  const [orders, endpoints] = [postgresOrderRepository(database), postgresWebhookEndpoints(database)];
  const signingKey = randomBytes(32).toString('base64');
  const key = signingKeyFingerprint(signingKey);
  const secrets = webhookSecrets([signingKey]);
  const receivers: TestReceiver[] = [];
  for (const each of options) {
    const id = ids.next();
    const receiver = await startReceiver(each, secrets.derive(OWNER, id, { serial: 1, key }));
    const now = new Date().toISOString();
    const endpoint: WebhookEndpoint = {
      id,
      url: receiver.url,
      types: null,
      include: ['resource'],
      description: null,
      status: 'enabled',
      disabled_reason: null,
      secrets: [{ serial: 1, key, expires_at: null }],
      start: 0,
      version: 1,
      created_at: now,
      updated_at: now,
    };
    const event = { id: ids.next(), owner: OWNER, aggregate_id: id, version: 1, occurred_at: now } as const;
    const created = { ...event, type: 'webhook_endpoint.created', changed: [], actor: null } as const;
    (
      await endpoints.commit(OWNER, { kind: 'create', after: endpoint, event: created, key: undefined })
    )._unsafeUnwrap();
    receivers.push(receiver);
  }

  /** The ids of the events of each order, in order of the versions. */
  const written = new Map<string, string[]>();
  for (let count = 0; count < ORDERS; count += 1) {
    const order = anOrder({ created_at: new Date().toISOString() });
    const event = { ...anEventOf(OWNER, order), id: ids.next() };
    (await orders.commit(OWNER, { kind: 'create', after: order, event, key: undefined }))._unsafeUnwrap();
    written.set(order.id, [event.id]);
  }

  return {
    signingKey,
    receivers,
    write: async () => {
      for (const [id, events] of written) {
        const before = (await orders.load(OWNER, id))._unsafeUnwrap();
        if (!before) throw new Error('the order is missing');
        const { version } = before.aggregate;
        const after = { ...before.aggregate, version: version + 1, updated_at: new Date().toISOString() };
        const event = { ...anEventOf(OWNER, after, { changed: ['note'] }), id: ids.next() };
        (await orders.commit(OWNER, { kind: 'change', before, after, event, key: undefined }))._unsafeUnwrap();
        events.push(event.id);
      }
    },
    areAccepted: () => {
      const events = [...written.values()].flat();
      return receivers.every(({ accepted }) => new Set(accepted).size === events.length);
    },
    letTimePass: async () => {
      // The queues are locked first, as workers do.
      await execute(
        url,
        `update orders.webhook_queues set fresh_after = least(fresh_after, now()), full_until = null, fresh_claimed_to = null,
           retries_claimed_to = null;
         update orders.webhook_deliveries set due_at = now() where due_at > now();
         update orders.webhook_deliveries set leased_until = now() where leased_until > now()`,
      );
    },
    expectInOrder: () => {
      for (const { accepted, faults } of receivers) {
        expect(faults).toEqual([]);
        const firstAccepted = [...new Set(accepted)];
        for (const versions of written.values())
          expect(firstAccepted.filter((id) => versions.includes(id))).toEqual(versions);
      }
    },
  };
}

async function startReceiver({ isFlaky }: ReceiverOptions, secret: string): Promise<TestReceiver> {
  const webhook = new Webhook(secret);
  const [accepted, faults]: [string[], string[]] = [[], []];
  const requested = new Set<string>();
  const server = createServer((request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const { 'webhook-id': id = '' } = headers;
    const isRejected = isFlaky && !requested.has(id);
    requested.add(id);
    void text(request).then((body) => {
      try {
        webhook.verify(body, headers);
      } catch (cause) {
        faults.push(`${id}: ${String(cause)}`);
      }
      if (!isRejected) accepted.push(id);
      response.writeHead(isRejected ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { url: `http://127.0.0.1:${address.port}/`, accepted, faults };
}
