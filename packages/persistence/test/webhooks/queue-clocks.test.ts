import { postgresWebhookQueue } from '@orders/persistence';
import { expect, it, onTestFinished, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { endpointId, insertEndpoint, insertVersions } from '../fixtures/delivery-rows.ts';

const database = testDatabase();

it('a server whose clock is a day ahead stores the times of the database', async () => {
  await insertEndpoint(database.url, 'owner', endpointId(1));
  for (const order of [1, 2]) await insertVersions(database.url, 'owner', order, [1, 1]);
  const queue = postgresWebhookQueue(database.current);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 60 * 60 * 1000 });
  onTestFinished(() => void vi.useRealTimers());
  (await queue.fanOut('owner'))._unsafeUnwrap();
  const [first, second] = (await queue.claim('owner', 10))._unsafeUnwrap();
  if (!first || !second) throw new Error('nothing was claimed');
  const rejected = { status: null, error: 'timed_out', duration_ms: 15_000, retryAfterMs: null } as const;
  (await queue.settle('owner', first, rejected, { status: 'pending', retryInMs: 60_000 }))._unsafeUnwrap();
  const times = await execute<{ due: number; leased: number | null; first: number }>(
    database.url,
    `select extract(epoch from due_at - now())::int as due, extract(epoch from leased_until - now())::int as leased,
       extract(epoch from now() - first_attempt_at)::int as first
     from webhook_deliveries where due_at is not null order by position`,
  );
  expect(times).toHaveLength(2);
  for (const { due, leased, first: begun } of times) {
    expect(Math.abs(due - 60)).toBeLessThan(30);
    expect(Math.abs((leased ?? 60) - 60)).toBeLessThan(30);
    expect(begun).toBeLessThan(30);
  }
});
