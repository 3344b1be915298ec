import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpoint } from '../../webhooks/webhook-endpoint.ts';
import * as assert from '../assertions.ts';
import { aWebhookEndpoint } from '../builders.ts';
import { fails, succeeds, type TestRunner } from '../contract-subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import { EndpointBench } from './subject.ts';

/** A time after the default time of the builders. */
const LATER = '2026-01-02T03:05:00.000Z';
const DISABLED = { status: 'disabled', disabled_reason: 'requested', updated_at: LATER } as const;

export function rulesContract(
  { describe, it }: TestRunner,
  open: () => Promise<EndpointBench>,
  { advanced }: OrderFixtures,
): void {
  describe('a stored webhook endpoint', () => {
    it('has every field unchanged, also after a change', async () => {
      const bench = await open();
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
      const { id } = await bench.store(endpoint);
      assert.deepEqual(await bench.endpoint(id), endpoint);
      const fields: Partial<WebhookEndpoint<OrderDefinition>> = {
        url: 'https://other.example/',
        types: [advanced],
        include: [],
        description: 'New',
        status: 'enabled',
        disabled_reason: null,
        secrets: [{ serial: 3, key: 'key-3', expires_at: null }],
        updated_at: LATER,
      };
      for (const some of [fields, { types: null, description: null }]) {
        const { aggregate } = await bench.update(id, some);
        assert.deepEqual(await bench.endpoint(id), aggregate);
      }
    });
  });

  describe('the number of webhook endpoints', () => {
    it('is limited to ten of one owner, and a deletion makes room', async () => {
      const bench = await open();
      const stored: WebhookEndpoint<OrderDefinition>[] = [];
      for (let count = 0; count < WEBHOOK_ENDPOINTS_MAX; count += 1) stored.push(await bench.store());
      assert.deepEqual(await fails(bench.tryStore()), { type: 'too_many_endpoints' });
      await new EndpointBench(bench.server).store();
      await bench.update(stored[0]?.id ?? '', { description: 'needs no room' });
      for (const one of [stored[3], stored[9]]) {
        await bench.remove(one?.id ?? '');
        await bench.store();
        assert.deepEqual(await fails(bench.tryStore()), { type: 'too_many_endpoints' });
      }
    });

    it('is ten after thirty concurrent creations', async () => {
      const bench = await open();
      const results = await Promise.all(Array.from({ length: 30 }, () => bench.tryStore()));
      assert.equal(results.filter((result) => result.isOk()).length, WEBHOOK_ENDPOINTS_MAX);
      for (const result of results) if (result.isErr()) assert.deepEqual(result.error, { type: 'too_many_endpoints' });
      const query = { sort: 'created_at', limit: 100, offset: 0, after: null } as const;
      const { data } = await succeeds(bench.server.webhookEndpoints.list(bench.owner, query));
      assert.equal(data.length, WEBHOOK_ENDPOINTS_MAX);
    });
  });

  describe('the feed of an owner', () => {
    it('has webhook_endpoint.disabled with the endpoint at its version, and no other event of it', async () => {
      const bench = await open();
      const { id } = await bench.store();
      await bench.update(id, { description: 'a' });
      const members = { type: 'webhook_endpoint.disabled', changed: ['status'], actor: 'client:web' } as const;
      const disabled = await bench.update(id, DISABLED, members);
      await bench.update(id, { description: 'b' });
      const removed = await bench.store();
      await bench.remove(removed.id);
      const [event, ...others] = await bench.feed();
      assert.deepEqual(others, []);
      assert.deepEqual(event, {
        id: disabled.event?.id,
        position: 1,
        ...members,
        resource: { type: 'webhook_endpoint', id, version: 3, data: disabled.aggregate },
        occurred_at: LATER,
      });
    });

    it('has no version of a deleted endpoint, but those of the others', async () => {
      const bench = await open();
      const [removed, kept] = [await bench.store(), await bench.store()];
      for (const { id } of [removed, kept]) await bench.update(id, DISABLED, { type: 'webhook_endpoint.disabled' });
      await bench.remove(removed.id);
      const data = (await bench.feed()).map(({ resource }) => [resource.id, resource.data?.version ?? null]);
      assert.deepEqual(data, [
        [removed.id, null],
        [kept.id, 2],
      ]);
    });
  });
}
