import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { WEBHOOK_ENDPOINTS_MAX } from '../../webhooks/webhook-endpoint.ts';
import * as assert from '../assertions.ts';
import { aKey, anEventOfEndpoint, aWebhookEndpoint } from '../builders.ts';
import { anOwner, fails, rejects, succeeds, type TestRunner } from '../contract-subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import { accept, feedOf, keep, type OpenWebhookEndpointSubject, storeEndpoint } from './subject.ts';

export function createContract(
  { describe, it }: TestRunner,
  open: OpenWebhookEndpointSubject<OrderDefinition>,
  { advanced }: OrderFixtures,
): void {
  describe('creating a webhook endpoint', () => {
    it('stores every field unchanged, and enters nothing into the feed', async () => {
      const subject = await open();
      const owner = anOwner();
      const endpoint = aWebhookEndpoint<OrderDefinition>({
        url: 'https://receiver.example/events?a=%C3%A9&b=“c”',
        types: [advanced, 'webhook_endpoint.disabled'],
        include: ['resource'],
        description: 'Zoë’s “shop” 🎁',
        status: 'disabled',
        disabled_reason: 'gone',
        secrets: [
          { serial: 2, key: 'key-2', expires_at: null },
          { serial: 1, key: 'key-1', expires_at: '2026-01-03T00:00:00.000Z' },
        ],
        start: Number.MAX_SAFE_INTEGER,
      });
      const event = anEventOfEndpoint(owner, endpoint);
      const written = await succeeds(subject.webhookEndpoints.insert(owner, { endpoint, event }));
      assert.deepEqual(written, { endpoint, event, replayed: false });
      assert.deepEqual(await succeeds(subject.webhookEndpoints.find(owner, endpoint.id)), endpoint);
      assert.deepEqual(await subject.events(owner), []);
      assert.deepEqual(await feedOf(subject, owner), []);
    });

    it('is limited to ten of one owner, and a deletion makes room', async () => {
      const subject = await open();
      const owner = anOwner();
      for (let count = 1; count < WEBHOOK_ENDPOINTS_MAX; count += 1) await storeEndpoint(subject, owner);
      const idempotency = aKey();
      const last = await storeEndpoint(subject, owner, aWebhookEndpoint(), idempotency);
      const [endpoint, key] = [aWebhookEndpoint(), aKey()];
      const insert = () =>
        subject.webhookEndpoints.insert(owner, { endpoint, event: anEventOfEndpoint(owner, endpoint) }, key);
      assert.deepEqual(await fails(insert()), { type: 'too_many_endpoints' });
      // A retry of a creation needs no room, and those of another owner take none.
      assert.deepEqual(await storeEndpoint(subject, owner, aWebhookEndpoint(), idempotency), last);
      await storeEndpoint(subject, anOwner());
      await succeeds(subject.webhookEndpoints.delete(owner, last.id, accept(owner)));
      assert.deepEqual((await succeeds(insert())).endpoint, endpoint);
      assert.deepEqual((await fails(subject.webhookEndpoints.find(owner, last.id))).type, 'webhook_endpoint_not_found');
    });

    it('accepts exactly ten of thirty concurrent endpoints', async () => {
      const subject = await open();
      const owner = anOwner();
      const results = await Promise.all(
        Array.from({ length: 30 }, () => {
          const endpoint = aWebhookEndpoint();
          return subject.webhookEndpoints.insert(owner, { endpoint, event: anEventOfEndpoint(owner, endpoint) });
        }),
      );
      assert.equal(results.filter((result) => result.isOk()).length, WEBHOOK_ENDPOINTS_MAX);
      for (const result of results) if (result.isErr()) assert.equal(result.error.type, 'too_many_endpoints');
    });

    it('rejects an id that exists', async () => {
      const subject = await open();
      const owner = anOwner();
      const endpoint = await storeEndpoint(subject, owner);
      const event = anEventOfEndpoint(owner, endpoint);
      await rejects(() => subject.webhookEndpoints.insert(owner, { endpoint, event }));
      assert.deepEqual(await succeeds(subject.webhookEndpoints.find(owner, endpoint.id)), endpoint);
    });

    it('copies arguments and results, so that changing them does not change the store', async () => {
      const subject = await open();
      const owner = anOwner();
      const endpoint = aWebhookEndpoint<OrderDefinition>({ types: [advanced] });
      const idempotency = aKey();
      const insert = () => storeEndpoint(subject, owner, endpoint, idempotency);
      const find = () => succeeds(subject.webhookEndpoints.find(owner, endpoint.id));
      const touch = async () => (await succeeds(subject.webhookEndpoints.update(owner, endpoint.id, keep))).endpoint;
      for (const way of [insert, insert, find, find, touch, touch, find]) {
        const copy = await way();
        assert.deepEqual(copy.types, [advanced]);
        for (const one of [copy, endpoint]) Object.assign(one.types ?? [], ['order.placed']);
      }
    });
  });
}
