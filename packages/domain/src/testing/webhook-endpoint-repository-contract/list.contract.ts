import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { SORTS } from '../../shared/page-query.ts';
import type { PageQuery } from '../../shared/page-query.ts';
import type { WebhookEndpoint } from '../../webhooks/webhook-endpoint.ts';
import * as assert from '../assertions.ts';
import { aWebhookEndpoint } from '../builders.ts';
import { anOwner, succeeds, type TestRunner } from '../contract-subject.ts';
import { type OpenWebhookEndpointSubject, storeEndpoint } from './subject.ts';

/** Times of which two are equal, so that the id decides. */
const TIMES = ['2026-01-03', '2026-01-01', '2026-01-02', '2026-01-02', '2026-01-04'].map(
  (day) => `${day}T00:00:00.000Z`,
);
const ALL: PageQuery = { sort: 'created_at', limit: 100, offset: 0, after: null };

export function listContract({ describe, it }: TestRunner, open: OpenWebhookEndpointSubject<OrderDefinition>): void {
  describe('the list of webhook endpoints', () => {
    /** Stores endpoints whose two times have different orders, and returns functions to read pages. */
    const given = async () => {
      const subject = await open();
      const owner = anOwner();
      for (const [index, created_at] of TIMES.entries()) {
        const updated_at = `2026-02-0${5 - Math.floor(index / 2)}T00:00:00.000Z`;
        await storeEndpoint(subject, owner, aWebhookEndpoint({ created_at, updated_at }));
      }
      await storeEndpoint(subject, anOwner());
      const page = (query: Partial<PageQuery>) => succeeds(subject.webhookEndpoints.list(owner, { ...ALL, ...query }));
      return { page, all: (await page({})).data };
    };
    const sorted = (all: readonly WebhookEndpoint<OrderDefinition>[], sort: PageQuery['sort']) => {
      const direction = sort.startsWith('-') ? -1 : 1;
      const keyOf = (one: WebhookEndpoint<OrderDefinition>) =>
        `${sort.endsWith('created_at') ? one.created_at : one.updated_at} ${one.id}`;
      return all.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -direction : direction));
    };

    it('has every endpoint of the owner in each sort order', async () => {
      const { page, all } = await given();
      assert.equal(all.length, TIMES.length);
      for (const sort of SORTS)
        assert.deepEqual(await page({ sort }), { data: sorted(all, sort), next: null }, `sorted by ${sort}`);
    });

    it('has pages that continue after the last endpoint, until none is left', async () => {
      const { page, all } = await given();
      for (const sort of SORTS) {
        const seen: WebhookEndpoint<OrderDefinition>[] = [];
        for (let after: PageQuery['after'] = null; ;) {
          const { data, next } = await page({ sort, limit: 2, after });
          assert.ok(data.length <= 2, 'a page exceeds the limit');
          seen.push(...data);
          if (!next) break;
          after = next;
        }
        assert.deepEqual(seen, sorted(all, sort));
      }
    });

    it('skips as many endpoints as the offset says', async () => {
      const { page, all } = await given();
      const { data, next } = await page({ offset: 2, limit: 2 });
      assert.deepEqual(data, sorted(all, 'created_at').slice(2, 4));
      assert.deepEqual(next, { value: data[1]?.created_at, id: data[1]?.id });
      assert.deepEqual(await page({ offset: 5 }), { data: [], next: null });
    });
  });
}
