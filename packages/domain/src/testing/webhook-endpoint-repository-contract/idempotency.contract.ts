import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey, anEventOfEndpoint, aWebhookEndpoint } from '../builders.ts';
import { anOwner, fails, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import { accept, change, type OpenWebhookEndpointSubject, storeEndpoint } from './subject.ts';

const REUSED = { type: 'idempotency_key_reused' };

export function idempotencyContract(
  { describe, it }: TestRunner,
  open: OpenWebhookEndpointSubject<OrderDefinition>,
): void {
  describe('a write of a webhook endpoint with an idempotency key', () => {
    it('happens once, and retries return its result after later changes', async () => {
      const subject = await open();
      const owner = anOwner();
      const [creation, update] = [aKey(), aKey()];
      const created = await storeEndpoint(subject, owner, aWebhookEndpoint(), creation);
      const { id } = created;
      const rename = () => subject.webhookEndpoints.update(owner, id, change(owner, { description: 'first' }), update);
      const first = await succeeds(rename());
      await succeeds(subject.webhookEndpoints.update(owner, id, change(owner, { description: 'second' })));
      const endpoint = aWebhookEndpoint();
      const event = anEventOfEndpoint(owner, endpoint);
      const replay = await succeeds(subject.webhookEndpoints.insert(owner, { endpoint, event }, creation));
      assert.deepEqual(replay, { endpoint: created, event: null, replayed: true });
      assert.equal(JSON.stringify(replay.endpoint), JSON.stringify(created));
      assert.deepEqual(await succeeds(rename()), { endpoint: first.endpoint, event: null, replayed: true });
      const found = await succeeds(subject.webhookEndpoints.find(owner, id));
      assert.deepEqual([found.description, found.version], ['second', 3]);
      assert.deepEqual(
        (await fails(subject.webhookEndpoints.find(owner, endpoint.id))).type,
        'webhook_endpoint_not_found',
      );
    });

    it('is found by its key before a retry, unless the key has expired', async () => {
      const subject = await open();
      const owner = anOwner();
      const { webhookEndpoints } = subject;
      const key = aKey({ now: '2001-01-01T00:00:00.000Z', expires_at: '2001-01-02T00:00:00.000Z' });
      assert.equal(await succeeds(webhookEndpoints.findReplay(owner, key)), null);
      const endpoint = await storeEndpoint(subject, owner, aWebhookEndpoint(), key);
      const { id } = endpoint;
      await succeeds(webhookEndpoints.update(owner, id, change(owner, { description: 'later' })));
      const replay = await succeeds(webhookEndpoints.findReplay(owner, key));
      assert.deepEqual(replay, { endpoint, event: null, replayed: true });
      assert.equal(await succeeds(webhookEndpoints.findReplay(anOwner(), key)), null);
      assert.deepEqual(await fails(webhookEndpoints.findReplay(owner, { ...key, fingerprint: 'another' })), REUSED);
      await succeeds(webhookEndpoints.delete(owner, id, accept(owner)));
      assert.deepEqual(await fails(webhookEndpoints.findReplay(owner, key)), {
        type: 'webhook_endpoint_not_found',
        id,
      });
      assert.equal(await succeeds(webhookEndpoints.findReplay(owner, { ...key, now: key.expires_at })), null);
    });

    it('is rejected when the key belongs to another command, also to that of a customer', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeEndpoint(subject, owner);
      const ofCustomer = aKey();
      await storeCustomer(subject, owner, aCustomer(), ofCustomer);
      const ofEndpoint = aKey();
      await storeEndpoint(subject, owner, aWebhookEndpoint(), ofEndpoint);
      for (const { key } of [ofCustomer, ofEndpoint]) {
        const idempotency = aKey({ key, fingerprint: 'another command' });
        const endpoint = aWebhookEndpoint();
        const event = anEventOfEndpoint(owner, endpoint);
        const { webhookEndpoints } = subject;
        assert.deepEqual(await fails(webhookEndpoints.insert(owner, { endpoint, event }, idempotency)), REUSED);
        assert.deepEqual(await fails(webhookEndpoints.update(owner, id, change(owner, {}), idempotency)), REUSED);
        assert.deepEqual(await fails(webhookEndpoints.delete(owner, id, accept(owner), idempotency)), REUSED);
      }
      assert.equal((await succeeds(subject.webhookEndpoints.find(owner, id))).version, 1);
    });

    it('creates one endpoint for ten concurrent calls', async () => {
      const subject = await open();
      const owner = anOwner();
      const idempotency = aKey();
      const ids = await Promise.all(
        Array.from(
          { length: 10 },
          async () => (await storeEndpoint(subject, owner, aWebhookEndpoint(), idempotency)).id,
        ),
      );
      assert.equal(new Set(ids).size, 1);
    });

    it('can use a key that has expired', async () => {
      const subject = await open();
      const owner = anOwner();
      const key = aKey({ now: '2001-01-01T00:00:00.000Z', expires_at: '2001-01-02T00:00:00.000Z' });
      const first = await storeEndpoint(subject, owner, aWebhookEndpoint(), key);
      const second = await storeEndpoint(subject, owner, aWebhookEndpoint(), { ...key, now: key.expires_at });
      assert.ok(second.id !== first.id, 'an expired key was replayed');
    });
  });

  describe('a webhook endpoint with an upper-case id', () => {
    it('is stored and returned in lower case, and accessible by an id in either case', async () => {
      const subject = await open();
      const owner = anOwner();
      const endpoint = aWebhookEndpoint();
      const id = endpoint.id.toUpperCase();
      const { webhookEndpoints } = subject;
      assert.deepEqual(await storeEndpoint(subject, owner, { ...endpoint, id }), endpoint);
      assert.deepEqual(await succeeds(webhookEndpoints.find(owner, id)), endpoint);
      const renamed = await succeeds(webhookEndpoints.update(owner, id, change(owner, { description: 'a' })));
      assert.equal(renamed.endpoint.id, endpoint.id);
      await succeeds(webhookEndpoints.delete(owner, id, accept(owner)));
      assert.equal((await fails(webhookEndpoints.find(owner, endpoint.id))).type, 'webhook_endpoint_not_found');
    });
  });
}
