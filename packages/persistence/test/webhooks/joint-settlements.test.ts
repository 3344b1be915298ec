import { ENDPOINT_IN_FLIGHT_MAX } from '@orders/domain/webhooks';
import { postgresWebhookQueue } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import {
  ACCEPTED,
  endpointId,
  insertEndpoint,
  insertVersions,
  rejected,
  storedDeliveries,
} from '../fixtures/delivery-rows.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';

const database = testDatabase();

/** Claims all deliveries of an owner from a queue whose statements are counted. */
async function claimAll(owner: string) {
  const { proxy, server } = await watchedServer(database.url);
  const queue = postgresWebhookQueue(server);
  (await queue.fanOut(owner))._unsafeUnwrap();
  const claimed = (await queue.claim(owner, 100))._unsafeUnwrap();
  return { queue, claimed, calls: () => proxy.statements.filter(({ text }) => text.includes('webhook_settle')).length };
}

describe('attempts of an endpoint that end at about the same time', () => {
  it('are recorded by one statement, each with its own result', async () => {
    await insertEndpoint(database.url, 'joint', endpointId(1));
    for (let order = 1; order <= ENDPOINT_IN_FLIGHT_MAX; order += 1)
      await insertVersions(database.url, 'joint', order, [1, 1]);
    const { queue, claimed, calls } = await claimAll('joint');
    const settled = await Promise.all(
      claimed.map(async (one, index) => {
        const lost = index === 2 ? { ...one, fence: one.fence + 1 } : one;
        const [attempt, settlement] = index === 1 ? rejected(60_000) : ACCEPTED;
        return (await queue.settle('joint', lost, attempt, settlement))._unsafeUnwrap();
      }),
    );
    expect(calls()).toBe(1);
    expect(settled.map(({ recorded }) => recorded)).toEqual(claimed.map((_, index) => index !== 2));
    // The endpoint had as many attempts as it may have. The worker claims once for all of them.
    expect(settled.map(({ isMoreDue }) => isMoreDue)).toEqual(claimed.map((_, index) => index === claimed.length - 1));
    const stored = new Map(
      (await storedDeliveries(database.url, 'joint')).map(({ position, status }) => [Number(position), status]),
    );
    const pending = claimed.flatMap(({ event }, index) => (stored.get(event.position) === 'pending' ? [index] : []));
    expect(pending).toEqual([1, 2]);
  });

  it('are recorded by a statement of each endpoint', async () => {
    for (const number of [1, 2]) await insertEndpoint(database.url, 'apart', endpointId(number));
    await insertVersions(database.url, 'apart', 1, [1, 1]);
    const { queue, claimed, calls } = await claimAll('apart');
    const settled = await Promise.all(
      claimed.map(async (one) => (await queue.settle('apart', one, ...ACCEPTED))._unsafeUnwrap()),
    );
    // Nothing more is due, so that the worker claims nothing.
    expect(settled).toEqual([1, 2].map(() => ({ recorded: true, isDead: false, isMoreDue: false })));
    expect(calls()).toBe(2);
  });
});
