import { ENDPOINT_IN_FLIGHT_MAX } from '@orders/domain/webhooks';
import { type Database, openDatabase, postgresWebhookQueue } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import {
  ACCEPTED,
  endpointId,
  insertEndpoint,
  insertVersions,
  rejected,
  storedDeliveries,
} from '../fixtures/delivery-rows.ts';

const database = testDatabase();

/** Opens a queue whose statements are counted. */
async function countedQueue() {
  const proxy = await startPostgresProxy(database.url);
  const watched: Database = openDatabase({ url: proxy.url });
  onTestFinished(async () => {
    await watched.close();
    await proxy.close();
  });
  const countOf = (name: string) => proxy.statements.filter(({ text }) => text.includes(name)).length;
  return { queue: postgresWebhookQueue(watched), countOf };
}

describe('attempts of an endpoint that end at about the same time', () => {
  it('are recorded by one statement, each with its own result', async () => {
    const { queue, countOf } = await countedQueue();
    await insertEndpoint(database.url, 'joint', endpointId(1));
    for (let order = 1; order <= ENDPOINT_IN_FLIGHT_MAX; order += 1)
      await insertVersions(database.url, 'joint', order, [1, 1]);
    (await queue.fanOut('joint'))._unsafeUnwrap();
    const claimed = (await queue.claim('joint', 100))._unsafeUnwrap();
    const lost = claimed.map((one, index) => (index === 2 ? { ...one, fence: one.fence + 1 } : one));
    const settled = await Promise.all(
      lost.map(async (one, index) => {
        const [attempt, settlement] = index === 1 ? rejected(60_000) : ACCEPTED;
        return (await queue.settle('joint', one, attempt, settlement))._unsafeUnwrap();
      }),
    );
    expect(countOf('webhook_settle')).toBe(1);
    expect(settled.map(({ recorded }) => recorded)).toEqual(claimed.map((_, index) => index !== 2));
    // The endpoint had as many attempts as it may have. The worker claims once for all of them.
    expect(settled.map(({ isMoreDue }) => isMoreDue)).toEqual(claimed.map((_, index) => index === claimed.length - 1));
    const [first, second, third, ...others] = claimed.map(({ event }) => event.position);
    const stored = await storedDeliveries(database.url, 'joint');
    const statusOf = (position = 0) => stored.find((one) => Number(one.position) === position)?.status;
    expect([first, second, third].map(statusOf)).toEqual(['delivered', 'pending', 'pending']);
    expect(new Set(others.map(statusOf))).toEqual(new Set(['delivered']));
  });

  it('are recorded by a statement of each endpoint', async () => {
    const { queue, countOf } = await countedQueue();
    for (const number of [1, 2]) await insertEndpoint(database.url, 'apart', endpointId(number));
    await insertVersions(database.url, 'apart', 1, [1, 1]);
    (await queue.fanOut('apart'))._unsafeUnwrap();
    const claimed = (await queue.claim('apart', 100))._unsafeUnwrap();
    const settled = await Promise.all(
      claimed.map(async (one) => (await queue.settle('apart', one, ...ACCEPTED))._unsafeUnwrap()),
    );
    // Nothing more is due, so that the worker claims nothing.
    expect(settled).toEqual([1, 2].map(() => ({ recorded: true, isDead: false, isMoreDue: false })));
    expect(countOf('webhook_settle')).toBe(2);
  });
});
