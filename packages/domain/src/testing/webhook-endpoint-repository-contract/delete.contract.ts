import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { err } from 'neverthrow';
import * as assert from '../assertions.ts';
import { aKey, anEventOfEndpoint, aWebhookEndpoint } from '../builders.ts';
import { anOwner, fails, succeeds, type TestRunner } from '../contract-subject.ts';
import { accept, change, feedOf, keep, type OpenWebhookEndpointSubject, storeEndpoint } from './subject.ts';

const DISABLED = { status: 'disabled', disabled_reason: 'requested' } as const;

export function deleteContract({ describe, it }: TestRunner, open: OpenWebhookEndpointSubject<OrderDefinition>): void {
  describe('deleting a webhook endpoint', () => {
    it('removes the endpoint, and enters nothing into the feed', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeEndpoint(subject, owner);
      const other = await storeEndpoint(subject, owner);
      const deleted = await succeeds(subject.webhookEndpoints.delete(owner, id, accept(owner)));
      assert.deepEqual([deleted.event?.type, deleted.replayed], ['webhook_endpoint.deleted', false]);
      const notFound = { type: 'webhook_endpoint_not_found', id };
      assert.deepEqual(await fails(subject.webhookEndpoints.find(owner, id)), notFound);
      assert.deepEqual(await fails(subject.webhookEndpoints.update(owner, id, keep)), notFound);
      assert.deepEqual(await fails(subject.webhookEndpoints.delete(owner, id, accept(owner))), notFound);
      assert.deepEqual(await succeeds(subject.webhookEndpoints.find(owner, other.id)), other);
      assert.deepEqual(await feedOf(subject, owner), []);
    });

    it('returns the error of decide, and keeps the endpoint', async () => {
      const subject = await open();
      const owner = anOwner();
      const endpoint = await storeEndpoint(subject, owner);
      const error = await fails(subject.webhookEndpoints.delete(owner, endpoint.id, () => err({ type: 'no' })));
      assert.deepEqual(error, { type: 'no' });
      assert.deepEqual(await succeeds(subject.webhookEndpoints.find(owner, endpoint.id)), endpoint);
    });

    it('erases all versions of this endpoint alone, also those in the feed', async () => {
      const subject = await open();
      const owner = anOwner();
      const [creation, update, nothing, deletion, staying] = [aKey(), aKey(), aKey(), aKey(), aKey()];
      const endpoint = aWebhookEndpoint();
      const { id } = endpoint;
      const disable = change(owner, DISABLED, { type: 'webhook_endpoint.disabled' });
      const event = anEventOfEndpoint(owner, endpoint);
      const writes = [
        () => subject.webhookEndpoints.insert(owner, { endpoint, event }, creation),
        () => subject.webhookEndpoints.update(owner, id, disable, update),
        () => subject.webhookEndpoints.update(owner, id, keep, nothing),
      ];
      for (const write of writes) await succeeds(write());
      const other = await storeEndpoint(subject, owner, aWebhookEndpoint(), staying);
      await succeeds(subject.webhookEndpoints.update(owner, other.id, disable));
      const remove = () => subject.webhookEndpoints.delete(owner, id, accept(owner), deletion);
      assert.equal((await succeeds(remove())).replayed, false);
      for (const write of writes) assert.deepEqual(await fails(write()), { type: 'webhook_endpoint_not_found', id });
      assert.deepEqual(await succeeds(remove()), { event: null, replayed: true });
      assert.deepEqual(await storeEndpoint(subject, owner, aWebhookEndpoint(), staying), other);
      const data = (await feedOf(subject, owner)).map(({ resource }) => [resource.id, resource.data?.version ?? null]);
      assert.deepEqual(data, [
        [id, null],
        [other.id, 2],
      ]);
    });

    it('erases the records of concurrent changes', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeEndpoint(subject, owner);
      const changes = Array.from({ length: 10 }, (_, index) => {
        const idempotency = aKey();
        const decide = index % 2 === 0 ? change(owner, { description: `${index}` }) : keep;
        return () => subject.webhookEndpoints.update(owner, id, decide, idempotency);
      });
      const running = changes.map((write) => write());
      await succeeds(subject.webhookEndpoints.delete(owner, id, accept(owner)));
      await Promise.all(running);
      for (const write of changes) assert.deepEqual(await fails(write()), { type: 'webhook_endpoint_not_found', id });
    });
  });

  describe('the webhook endpoint of another owner', () => {
    it('is not found, changed, deleted or listed', async () => {
      const subject = await open();
      const [owner, other] = [anOwner(), anOwner()];
      const endpoint = await storeEndpoint(subject, owner);
      const { id } = endpoint;
      const notFound = { type: 'webhook_endpoint_not_found', id };
      assert.deepEqual(await fails(subject.webhookEndpoints.find(other, id)), notFound);
      assert.deepEqual(await fails(subject.webhookEndpoints.update(other, id, change(other, {}))), notFound);
      assert.deepEqual(await fails(subject.webhookEndpoints.delete(other, id, accept(other))), notFound);
      const query = { sort: 'created_at', limit: 100, offset: 0, after: null } as const;
      assert.deepEqual((await succeeds(subject.webhookEndpoints.list(other, query))).data, []);
      assert.deepEqual(await succeeds(subject.webhookEndpoints.find(owner, id)), endpoint);
    });
  });
}
