import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { err, ok } from 'neverthrow';
import type { WebhookEndpoint } from '../../webhooks/webhook-endpoint.ts';
import * as assert from '../assertions.ts';
import { aKey, anEventOfEndpoint, aWebhookEndpoint } from '../builders.ts';
import { anOwner, fails, rejects, succeeds, type TestRunner } from '../contract-subject.ts';
import { THROWN_VALUES, WRONG_VERSIONS } from '../invalid-values.ts';
import { change, feedOf, keep, LATER, type OpenWebhookEndpointSubject, storeEndpoint } from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

export function updateContract(
  { describe, it }: TestRunner,
  open: OpenWebhookEndpointSubject<OrderDefinition>,
  { advanced }: OrderFixtures,
): void {
  describe('updating a webhook endpoint', () => {
    it('stores every field that may change, and enters nothing into the feed', async () => {
      const subject = await open();
      const owner = anOwner();
      const before = await storeEndpoint(
        subject,
        owner,
        aWebhookEndpoint({ status: 'disabled', disabled_reason: 'gone' }),
      );
      const fields: Partial<WebhookEndpoint<OrderDefinition>> = {
        url: 'https://other.example/',
        types: [advanced],
        include: ['resource'],
        description: 'New',
        status: 'enabled',
        disabled_reason: null,
        secrets: [{ serial: 2, key: 'key-2', expires_at: null }],
        updated_at: LATER,
      };
      const written = await succeeds(subject.webhookEndpoints.update(owner, before.id, change(owner, fields)));
      assert.deepEqual(written.endpoint, { ...before, ...fields, version: 2 });
      assert.equal(written.event?.type, 'webhook_endpoint.changed');
      assert.deepEqual(await succeeds(subject.webhookEndpoints.find(owner, before.id)), written.endpoint);
      const all = { types: null, description: null };
      const again = await succeeds(subject.webhookEndpoints.update(owner, before.id, change(owner, all)));
      assert.deepEqual(again.endpoint, { ...written.endpoint, ...all, version: 3 });
      assert.deepEqual(await succeeds(subject.webhookEndpoints.find(owner, before.id)), again.endpoint);
      assert.deepEqual(await feedOf(subject, owner), []);
    });

    it('enters webhook_endpoint.disabled into the feed, with the endpoint at its version', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeEndpoint(subject, owner);
      await succeeds(subject.webhookEndpoints.update(owner, id, change(owner, { description: 'a' })));
      const fields = { status: 'disabled', disabled_reason: 'requested', updated_at: LATER } as const;
      const members = { type: 'webhook_endpoint.disabled', changed: ['status'], actor: 'client:web' } as const;
      const disabled = await succeeds(subject.webhookEndpoints.update(owner, id, change(owner, fields, members)));
      await succeeds(subject.webhookEndpoints.update(owner, id, change(owner, { description: 'b' })));
      assert.deepEqual(await subject.events(owner), [disabled.event]);
      const [event, ...others] = await feedOf(subject, owner);
      assert.deepEqual(others, []);
      assert.deepEqual(event, {
        id: disabled.event?.id,
        position: 1,
        ...members,
        resource: { type: 'webhook_endpoint', id, version: 3, data: disabled.endpoint },
        occurred_at: LATER,
      });
    });

    it('stores nothing without an event: the write and its replay return the stored endpoint', async () => {
      const subject = await open();
      const owner = anOwner();
      const endpoint = await storeEndpoint(subject, owner);
      const idempotency = aKey();
      const update = () => subject.webhookEndpoints.update(owner, endpoint.id, keep, idempotency);
      assert.deepEqual(await succeeds(update()), { endpoint, event: null, replayed: false });
      assert.deepEqual(await succeeds(subject.webhookEndpoints.find(owner, endpoint.id)), endpoint);
      assert.deepEqual(await succeeds(update()), { endpoint, event: null, replayed: true });
    });

    it('returns the error of the change, and keeps the endpoint', async () => {
      const subject = await open();
      const owner = anOwner();
      const endpoint = await storeEndpoint(subject, owner);
      const error = await fails(subject.webhookEndpoints.update(owner, endpoint.id, () => err({ type: 'no' })));
      assert.deepEqual(error, { type: 'no' });
      assert.deepEqual(await succeeds(subject.webhookEndpoints.find(owner, endpoint.id)), endpoint);
    });

    it('never changes id, start and created_at', async () => {
      const subject = await open();
      const owner = anOwner();
      const endpoint = await storeEndpoint(subject, owner, aWebhookEndpoint({ start: 7 }));
      const { id } = aWebhookEndpoint();
      const fixed = { id, start: 8, created_at: '2025-01-01T00:00:00.000Z' };
      const event = { aggregate_id: endpoint.id };
      const update = subject.webhookEndpoints.update(owner, endpoint.id, change(owner, fixed, event));
      assert.deepEqual((await succeeds(update)).endpoint, { ...endpoint, version: 2 });
      assert.deepEqual(await succeeds(subject.webhookEndpoints.find(owner, endpoint.id)), { ...endpoint, version: 2 });
    });

    it('returns webhook_endpoint_not_found for an unknown id, without calling change', async () => {
      const { webhookEndpoints } = await open();
      const { id } = aWebhookEndpoint();
      const error = await fails(webhookEndpoints.update(anOwner(), id, () => assert.fail('change was called')));
      assert.deepEqual(error, { type: 'webhook_endpoint_not_found', id });
    });

    it('loses none of many concurrent rotations', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeEndpoint(subject, owner);
      const rotate = (before: WebhookEndpoint<OrderDefinition>) => {
        const serial = (before.secrets[0]?.serial ?? 0) + 1;
        return change(owner, { secrets: [{ serial, key: 'key', expires_at: null }] })(before);
      };
      await Promise.all(Array.from({ length: 20 }, () => succeeds(subject.webhookEndpoints.update(owner, id, rotate))));
      const found = await succeeds(subject.webhookEndpoints.find(owner, id));
      assert.deepEqual([found.version, found.secrets[0]?.serial], [21, 21]);
    });

    it('rejects a change whose version is not the next one', async () => {
      const subject = await open();
      const owner = anOwner();
      const endpoint = await storeEndpoint(subject, owner);
      for (const [version, versionOfEvent] of WRONG_VERSIONS) {
        const changed = { ...endpoint, version };
        const event = anEventOfEndpoint(owner, changed, { version: versionOfEvent });
        await rejects(() =>
          subject.webhookEndpoints.update(owner, endpoint.id, () => ok({ endpoint: changed, event })),
        );
      }
      assert.deepEqual(await succeeds(subject.webhookEndpoints.find(owner, endpoint.id)), endpoint);
    });

    for (const [name, thrown] of THROWN_VALUES) {
      it(`rejects when change throws ${name}, once`, async () => {
        const subject = await open();
        const owner = anOwner();
        const { id } = await storeEndpoint(subject, owner);
        let calls = 0;
        const reason = await rejects(() =>
          subject.webhookEndpoints.update(owner, id, () => {
            calls += 1;
            throw thrown;
          }),
        );
        assert.ok(reason === thrown, 'another value was thrown');
        assert.equal(calls, 1);
      });
    }
  });
}
