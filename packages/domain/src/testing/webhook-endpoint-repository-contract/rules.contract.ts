import { WEBHOOK_ENDPOINTS_MAX } from '../../webhooks/webhook-endpoint.ts';
import * as assert from '../assertions.ts';
import { type Cases, fails, succeeds } from '../contract-subject.ts';
import { FEED_INCLUDES } from '../../event-types.ts';
import { LATER } from '../kind-bench.ts';
import type { FeedBench } from '../event-feed-contract/subject.ts';

const DISABLED = { status: 'disabled', disabled_reason: 'requested' } as const;

export function rulesContract({ describe, it }: Cases<FeedBench>): void {
  describe('the number of webhook endpoints', () => {
    it('is ten of one owner after thirty concurrent creations, and a deletion makes room', async (bench) => {
      const results = await Promise.all(Array.from({ length: 30 }, () => bench.endpoints.tryStore()));
      assert.equal(results.filter((result) => result.isOk()).length, WEBHOOK_ENDPOINTS_MAX);
      for (const result of results) if (result.isErr()) assert.deepEqual(result.error, { type: 'too_many_endpoints' });
      const query = { sort: 'created_at', limit: 100, offset: 0, after: null } as const;
      const { data } = await succeeds(bench.server.webhookEndpoints.list(bench.owner, query));
      assert.equal(data.length, WEBHOOK_ENDPOINTS_MAX);
      await bench.ofAnother().endpoints.stored();
      const [first, removed] = data;
      await bench.endpoints.set(first?.id ?? '', { description: 'needs no room' });
      await bench.endpoints.remove(removed?.id ?? '');
      await bench.endpoints.stored();
      assert.deepEqual(await fails(bench.endpoints.tryStore()), { type: 'too_many_endpoints' });
    });
  });

  describe('the feed of an owner', () => {
    it('has webhook_endpoint.disabled with the endpoint at its version, and no other event of it', async (bench) => {
      const { id } = await bench.endpoints.stored();
      await bench.endpoints.set(id, { description: 'a' });
      const author = { actor: 'client:web', external_user_id: 'User 7' };
      const members = { type: 'webhook_endpoint.disabled', changed: ['status'], ...author } as const;
      const disabled = await bench.endpoints.set(id, DISABLED, { event: members });
      await bench.endpoints.set(id, { description: 'b' });
      const removed = await bench.endpoints.stored();
      await bench.endpoints.remove(removed.id);
      const [event, ...others] = await bench.readAll({ include: FEED_INCLUDES });
      assert.deepEqual(others, []);
      assert.deepEqual(event, {
        id: disabled.event?.id,
        position: 1,
        ...members,
        resource: { type: 'webhook_endpoint', id, version: 3, data: disabled.aggregate },
        occurred_at: LATER,
      });
    });

    it('has no version of a deleted endpoint, but those of the others', async (bench) => {
      const [removed, kept] = [await bench.endpoints.stored(), await bench.endpoints.stored()];
      const event = { type: 'webhook_endpoint.disabled' } as const;
      for (const { id } of [removed, kept]) await bench.endpoints.set(id, DISABLED, { event });
      await bench.endpoints.remove(removed.id);
      const data = (await bench.readAll({ include: FEED_INCLUDES })).map(({ resource }) => [
        resource.id,
        resource.data?.version ?? null,
      ]);
      assert.deepEqual(data, [
        [removed.id, null],
        [kept.id, 2],
      ]);
    });
  });
}
