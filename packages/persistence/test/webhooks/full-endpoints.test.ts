import { ENDPOINT_IN_FLIGHT_MAX, LEASE_MS } from '@orders/domain/webhooks';
import { postgresWebhookQueue } from '@orders/persistence';
import { expect, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { ACCEPTED, endpointId, insertEndpoint, insertVersions } from '../fixtures/delivery-rows.ts';
import { advance } from '../fixtures/queue-subject.ts';

const database = testDatabase();

it('an owner is not due while its endpoint has as many attempts as it may have, and until one of them ends', async () => {
  const queue = postgresWebhookQueue(database.current);
  const isDue = async () => (await queue.findDue(10, null))._unsafeUnwrap().owners.includes('full');
  await insertEndpoint(database.url, 'full', endpointId(1));
  for (let order = 1; order <= ENDPOINT_IN_FLIGHT_MAX + 2; order += 1)
    await insertVersions(database.url, 'full', order, [1, 1]);
  (await queue.fanOut('full'))._unsafeUnwrap();
  const [first] = (await queue.claim('full', ENDPOINT_IN_FLIGHT_MAX))._unsafeUnwrap();
  expect(await isDue()).toBe(false);
  if (!first) throw new Error('nothing was claimed');
  (await queue.settle('full', first, ...ACCEPTED))._unsafeUnwrap();
  expect(await isDue()).toBe(true);
  expect((await queue.claim('full', ENDPOINT_IN_FLIGHT_MAX))._unsafeUnwrap()).toHaveLength(1);
  expect(await isDue()).toBe(false);
  await advance(database.current, 'full', LEASE_MS);
  expect(await isDue()).toBe(true);
});
