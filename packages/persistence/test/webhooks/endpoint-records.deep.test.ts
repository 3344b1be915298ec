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

async function remove({ id }: WebhookEndpoint, occurred_at: string, key?: Idempotency) {
  return (await endpoints().delete(OWNER, id, key, { occurred_at }))._unsafeUnwrap();
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

  it('are purged with a deleted endpoint, after its events have left the feed', async () => {
    const [old, young, kept] = [await create(OLD), await create(OLD), await create(OLD)];
    await change(old, OLD, true);
    await remove(old, OLD);
    await change(young, IN_FEED, true);
    await remove(young, IN_FEED);
    expect((await run()).changes).toBe(4);
    expect(await records(old)).toEqual([]);
    expect(await records(young)).toEqual(['2 webhook_endpoint.disabled', '3 -']);
    expect(await records(kept)).toEqual(['1 -']);
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

  it('stay while a key refers to a deleted endpoint, so that its deletion is replayed', async () => {
    const endpoint = await create(OLD);
    const key = unexpired();
    await remove(endpoint, OLD, key);
    expect((await run()).changes).toBe(0);
    expect(await remove(endpoint, OLD, key)).toEqual({ event: null, replayed: true });
    await execute(database.url, `update idempotency set expires_at = '${OLD}'`);
    expect(await run()).toMatchObject({ keys: 1, changes: 2 });
    expect(await records(endpoint)).toEqual([]);
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

  it('contains no secret after a creation, rotations and their replays', async () => {
    const { createEndpoint, rotateSecret } = webhooks();
    const key = { idempotencyKey: 'k' };
    const created = (await createEndpoint(OWNER, { url: 'https://a.example' }, key))._unsafeUnwrap();
    expect(created.secret).toBe('whsec_hush1');
    expect((await createEndpoint(OWNER, { url: 'https://a.example' }, key))._unsafeUnwrap().secret).toBe(
      created.secret,
    );
    const { id } = created.endpoint;
    for (const idempotencyKey of ['r1', 'r2', 'r2']) await rotateSecret(OWNER, id, {}, { idempotencyKey });
    const tables = await execute<{ name: string }>(
      database.url,
      `select oid::regclass::text as name from pg_class
       where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
    );
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['changes', 'idempotency', 'webhook_endpoints']),
    );
    const rows: unknown[] = [];
    for (const { name } of tables) rows.push(...(await execute(database.url, `select t::text from ${name} as t`)));
    const text = JSON.stringify(rows);
    expect(text).toContain('key-1');
    expect(text).not.toMatch(/whsec_|hush/);
  });
});

describe('a webhook endpoint in PostgreSQL', () => {
  it('is found and listed for its owner alone, whatever characters the owner has', async () => {
    const owners = [String.raw`o'brien \ "co"`, String.raw`\' or true --`, "'", '%', '?', '$1', ':id'];
    const query = { sort: 'created_at', limit: 100, offset: 0, after: null } as const;
    for (const owner of owners) {
      const endpoint = aWebhookEndpoint();
      await endpoints().insert(owner, endpoint);
      expect((await endpoints().find(owner, endpoint.id))._unsafeUnwrap()).toEqual(endpoint);
      expect((await endpoints().list(owner, query))._unsafeUnwrap()).toEqual({ data: [endpoint], next: null });
    }
  });
});
