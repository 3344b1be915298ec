import type { Idempotency } from '@orders/domain';
import { aKey, aWebhookEndpoint } from '@orders/domain/testing';
import { createWebhooks, type WebhookEndpoint, type Webhooks } from '@orders/domain/webhooks';
import { postgresEventFeed, postgresWebhookDeliveries, postgresWebhookQueue, purge } from '@orders/persistence';
import { ok } from 'neverthrow';
import { beforeEach, describe, expect, it } from 'vitest';
import { insertMany } from '../fixtures/feed-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { decidedEndpoints } from '../fixtures/decided-writes.ts';
import { readPage } from '../fixtures/reading.ts';

const database = testDatabase();
const NOW = '2026-03-01T00:00:00.000Z';
const OLD = '2025-11-01T00:00:00.000Z';
const FEED = '2026-02-01T00:00:00.000Z';
const IN_FEED = '2026-02-02T00:00:00.000Z';
const OWNER = 'owner';

beforeEach(async () => {
  await execute(
    database.url,
    'delete from changes; delete from idempotency; delete from feeds; delete from webhook_endpoints',
  );
});

const endpoints = () => decidedEndpoints(database.current);

/** Stores an endpoint at a time. */
async function create(at: string, key?: Idempotency): Promise<WebhookEndpoint> {
  return (await endpoints().insert(OWNER, aWebhookEndpoint({ created_at: at }), key))._unsafeUnwrap().aggregate;
}

/** Changes an endpoint at a time, or disables it. */
async function change({ id }: WebhookEndpoint, at: string, isDisabled = false): Promise<void> {
  const fields = isDisabled ? ({ status: 'disabled', disabled_reason: 'gone' } as const) : {};
  const type = isDisabled ? 'webhook_endpoint.disabled' : 'webhook_endpoint.changed';
  const next = (before: WebhookEndpoint) => ({ ...before, ...fields, version: before.version + 1, updated_at: at });
  (await endpoints().update(OWNER, id, next, undefined, { type }))._unsafeUnwrap();
}

async function remove({ id }: WebhookEndpoint, occurred_at: string) {
  return (await endpoints().delete(OWNER, id, undefined, { occurred_at }))._unsafeUnwrap();
}

/** Returns the versions that are recorded of an endpoint, with their types. */
async function records({ id }: WebhookEndpoint): Promise<readonly string[]> {
  const rows = await execute<{ text: string }>(
    database.url,
    `select version || ' ' || coalesce(type, '-') as text from changes where aggregate_id = '${id}' order by version`,
  );
  return rows.map(({ text }) => text);
}

const run = (history: string | null = null) =>
  purge(database.current)({ now: NOW, eventsBefore: FEED, historyBefore: history });

const unexpired = () => aKey({ now: OLD, expires_at: '2100-01-01T00:00:00.000Z' });

describe('the change records of a webhook endpoint', () => {
  it('are purged with the history, except the newest, those in the feed and those of an unexpired key', async () => {
    const key = unexpired();
    const endpoint = await create(OLD, key);
    await change(endpoint, OLD);
    await change(endpoint, OLD, true);
    await change(endpoint, OLD);
    const young = await create(OLD);
    await change(young, OLD);
    await change(young, IN_FEED, true);
    await change(young, IN_FEED);
    expect((await run()).changes).toBe(0);
    expect((await run(FEED)).changes).toBe(3);
    expect(await records(endpoint)).toEqual(['1 -', '4 -']);
    expect(await records(young)).toEqual(['2 -', '3 webhook_endpoint.disabled', '4 -']);
    const replay = await endpoints().insert(OWNER, aWebhookEndpoint(), key);
    expect(replay._unsafeUnwrap()).toEqual({ aggregate: endpoint, event: null, replayed: true });
  });

  it('stay in the feed behind an event that is too young to leave it, also of a deleted endpoint', async () => {
    await change(await create(OLD), IN_FEED, true);
    const feed = postgresEventFeed(database.current);
    const positions = async () => (await readPage(feed, OWNER))._unsafeUnwrap().data.map(({ position }) => position);
    expect(await positions()).toEqual([1]);
    const old = await create(OLD);
    await change(old, OLD, true);
    await remove(old, OLD);
    expect(await positions()).toEqual([1, 2]);
    expect((await run()).changes).toBe(2);
    expect(await records(old)).toEqual(['2 webhook_endpoint.disabled']);
    expect(await positions()).toEqual([1, 2]);
  });
});

describe('the database', () => {
  /** Returns the use cases of webhooks, whose secrets have a text that no other value contains. */
  function webhooks(): Webhooks {
    let count = 0;
    return createWebhooks({
      endpoints: endpoints(),
      deliveries: postgresWebhookDeliveries(database.current),
      feed: postgresEventFeed(database.current),
      secrets: { newestKey: () => 'key-1', derive: (...[, , { serial }]) => `whsec_hush${serial}` },
      sender: { send: () => expect.fail('nothing is sent') },
      targets: { parse: (url) => ok(url) },
      clock: { now: () => new Date(NOW) },
      ids: { next: () => `019a7000-0000-7000-8000-${String((count += 1)).padStart(12, '0')}` },
    });
  }

  it('stores an endpoint while more events have no position than one read numbers, which it gets', async () => {
    const owner = 'backlog';
    await insertMany(database.url, owner, 5002, '2026-01-01');
    const create = async () =>
      (await webhooks().createEndpoint(owner, { url: 'https://a.example' }))._unsafeUnwrap().endpoint;
    const { id, start } = await create();
    expect(start).toBe(5000);
    const queue = postgresWebhookQueue(database.current);
    (await queue.fanOut(owner))._unsafeUnwrap();
    const claimed = (await queue.claim(owner, 9))._unsafeUnwrap();
    expect(claimed.map(({ endpoint, event }) => [endpoint.id, event.position])).toEqual([
      [id, 5001],
      [id, 5002],
    ]);
  });
});
