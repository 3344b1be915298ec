import type { Unavailable } from '@orders/domain';
import type { WebhookQueue } from '@orders/domain/webhooks';
import { openDatabase, postgresWebhookQueue } from '@orders/persistence';
import { type Fault, startPostgresProxy } from '@orders/postgres-proxy';
import type { ResultAsync } from 'neverthrow';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { upTo } from '../fixtures/feed-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { ACCEPTED, endpointId, insertEndpoint, insertVersions, storedDeliveries } from '../fixtures/delivery-rows.ts';

const database = testDatabase();
const ENDPOINT = endpointId(1);
const VERSIONS = 3;

/** Opens a queue with one connection through a proxy. */
async function throughProxy() {
  const proxy = await startPostgresProxy(database.url);
  const opened = openDatabase({ url: proxy.url, poolMax: 1 });
  onTestFinished(async () => {
    await opened.close();
    await proxy.close();
  });
  await vi.waitFor(() => opened.ping());
  proxy.clear();
  return { proxy, queue: postgresWebhookQueue(opened) };
}

const FAULTS = ['cut_before', 'terminated', 'response_lost'] as const satisfies readonly Fault[];

let owners = 0;

/** Returns a new owner with an endpoint, and versions of an order and of another one. */
async function aSubscriber(): Promise<string> {
  owners += 1;
  const owner = `owner ${owners}`;
  await insertEndpoint(database.url, owner, ENDPOINT);
  await insertVersions(database.url, owner, 1, [1, VERSIONS]);
  await insertVersions(database.url, owner, 2, [1, 1], '2026-02-01');
  return owner;
}

/** Lets a minute pass for an owner, so that leases expire. */
async function expireLeases(owner: string): Promise<void> {
  const earlier = (column: string) => `${column} = ${column} - interval '1 minute'`;
  await execute(
    database.url,
    `update webhook_deliveries set ${earlier('due_at')}, ${earlier('leased_until')} where owner_id = '${owner}';
     update webhook_queues set ${earlier('full_until')}, ${earlier('fresh_claimed_to')}, ${earlier('retries_claimed_to')}
     where owner_id = '${owner}'`,
  );
}

type Operation = (queue: WebhookQueue, owner: string) => ResultAsync<unknown, Unavailable>;

/** Each operation of the queue, and what comes before it. */
const OPERATIONS: readonly (readonly [
  name: string,
  prepare: (owner: string) => Promise<(queue: WebhookQueue) => ReturnType<Operation>>,
])[] = [
  [
    'findDue',
    async (owner) => {
      await postgresWebhookQueue(database.current).fanOut(owner);
      return (queue) => queue.findDue(10, null);
    },
  ],
  ['fanOut', (owner) => Promise.resolve((queue) => queue.fanOut(owner))],
  [
    'claim',
    async (owner) => {
      (await postgresWebhookQueue(database.current).fanOut(owner))._unsafeUnwrap();
      return (queue) => queue.claim(owner, 10);
    },
  ],
  [
    'settle',
    async (owner) => {
      const direct = postgresWebhookQueue(database.current);
      (await direct.fanOut(owner))._unsafeUnwrap();
      const [claimed] = (await direct.claim(owner, 1))._unsafeUnwrap();
      if (!claimed) throw new Error('nothing was claimed');
      return (queue) => queue.settle(owner, claimed, ...ACCEPTED);
    },
  ],
];

/** Delivers everything that is left, and returns the versions of the first order in the order of their acceptance. */
async function deliverAll(owner: string): Promise<readonly number[]> {
  const queue = postgresWebhookQueue(database.current);
  const versions: number[] = [];
  for (;;) {
    while ((await queue.fanOut(owner))._unsafeUnwrap().isMoreLeft);
    const claimed = (await queue.claim(owner, 10))._unsafeUnwrap();
    if (claimed.length === 0) return versions;
    for (const one of claimed) {
      expect((await queue.settle(owner, one, ...ACCEPTED))._unsafeUnwrap().recorded).toBe(true);
      if (one.event.resource.id.endsWith('1')) versions.push(one.event.resource.version);
    }
  }
}

describe.each(OPERATIONS)('%s', (_, prepare) => {
  it.each(FAULTS)(
    'is unavailable when its connection fails (%s) at any statement, and leaves nothing out of order',
    async (fault) => {
      const { proxy, queue } = await throughProxy();
      const first = await prepare(await aSubscriber());
      proxy.clear();
      (await first(queue))._unsafeUnwrap();
      const { length: steps } = proxy.statements;
      expect(steps).toBeGreaterThan(0);
      for (const step of upTo(steps)) {
        const owner = await aSubscriber();
        const run = await prepare(owner);
        proxy.clear();
        const injected = proxy.fault(step, fault);
        const result = await run(queue);
        expect(injected.statement).toBeDefined();
        expect(result._unsafeUnwrapErr().type).toBe('unavailable');
        const claims = (await storedDeliveries(database.url, owner)).filter((one) => one.is_leased);
        await expireLeases(owner);
        const versions = await deliverAll(owner);
        expect(versions).toEqual(upTo(VERSIONS).slice(VERSIONS - versions.length));
        expect(versions.length).toBeGreaterThanOrEqual(VERSIONS - 1);
        const stored = await storedDeliveries(database.url, owner);
        expect(stored.map(({ status, attempts }) => [status, attempts])).toEqual(
          Array.from({ length: VERSIONS + 1 }, () => ['delivered', 1]),
        );
        expect(claims.length).toBeLessThanOrEqual(2);
      }
    },
  );
});

describe('a server whose clock is a day ahead', () => {
  it('stores the times of the database', async () => {
    const owner = await aSubscriber();
    const queue = postgresWebhookQueue(database.current);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 60 * 60 * 1000 });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    (await queue.fanOut(owner))._unsafeUnwrap();
    const [first, second] = (await queue.claim(owner, 10))._unsafeUnwrap();
    if (!first || !second) throw new Error('nothing was claimed');
    const rejected = { status: null, error: 'timed_out', duration_ms: 15_000, retryAfterMs: null } as const;
    (await queue.settle(owner, first, rejected, { status: 'pending', retryInMs: 60_000 }))._unsafeUnwrap();
    const times = await execute<{ due: number; leased: number | null; first: number }>(
      database.url,
      `select extract(epoch from due_at - now())::int as due, extract(epoch from leased_until - now())::int as leased,
         extract(epoch from now() - first_attempt_at)::int as first
       from webhook_deliveries where owner_id = '${owner}' and due_at is not null order by position`,
    );
    expect(times).toHaveLength(2);
    for (const { due, leased, first: begun } of times) {
      expect(Math.abs(due - 60)).toBeLessThan(30);
      expect(Math.abs((leased ?? 60) - 60)).toBeLessThan(30);
      expect(begun).toBeLessThan(30);
    }
  });
});
