import { discardDeliveries, postgresWebhookQueue } from '@orders/persistence';
import { expect, it } from 'vitest';
import { ACCEPTED, endpointId, insertEndpoint, insertVersions } from '../fixtures/delivery-rows.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
const OWNER = 'shop';

it('deliveries of before a time are discarded, and what waited for them is claimed in its order', async () => {
  for (const owner of [OWNER, 'another']) {
    await insertEndpoint(database.url, owner, endpointId(1));
    // Each version is a second later than the one before.
    await insertVersions(database.url, owner, 1, [1, 4], '2026-02-01');
    await insertVersions(database.url, owner, 2, [1, 1], '2026-03-01');
  }
  const queue = postgresWebhookQueue(database.current);
  const claimed = async (owner: string) => {
    const positions: number[] = [];
    for (;;) {
      const deliveries = (await queue.claim(owner, 10))._unsafeUnwrap();
      if (deliveries.length === 0) return positions;
      for (const one of deliveries) {
        positions.push(one.event.position);
        (await queue.settle(owner, one, ...ACCEPTED))._unsafeUnwrap();
      }
    }
  };
  expect(await discardDeliveries(database.current, OWNER, '2026-02-01T00:00:02.500Z')).toBe(2);
  expect(await discardDeliveries(database.current, OWNER, '2026-02-01T00:00:02.500Z')).toBe(0);
  expect(await claimed(OWNER)).toEqual([5, 3, 4]);
  (await queue.fanOut('another'))._unsafeUnwrap();
  expect(await claimed('another')).toHaveLength(5);
});
