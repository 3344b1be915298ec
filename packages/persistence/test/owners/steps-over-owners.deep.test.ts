import { createDomain } from '@orders/domain/runtime';
import { dueDeliveries, numberBacklogs, postgresStore, postgresWebhookQueue, purge } from '@orders/persistence';
import { ok } from 'neverthrow';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { newNumbering } from '../../src/events/numbering.ts';
import { idOf, insertChanges, insertKey } from '../fixtures/change-rows.ts';
import { insertMany } from '../fixtures/feed-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { endpointId, insertDeliveries, insertEndpoint } from '../fixtures/delivery-rows.ts';
import { holding } from '../fixtures/sessions.ts';
import { readPage } from '../fixtures/reading.ts';

const database = testDatabase();
/** The owner whose row is locked, and others before and behind it. */
const [BEFORE, LOCKED, BEHIND] = ['a', 'b', 'c'] as const;
const OWNERS = [BEFORE, LOCKED, BEHIND];

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const ages = () => ({ now: hoursAgo(0), eventsBefore: hoursAgo(24), historyBefore: hoursAgo(72) });

/** Returns options that collect the owners that are passed over. */
function collecting() {
  const passedOver: string[] = [];
  return { passedOver, onPassedOver: (owner: string) => void passedOver.push(owner) };
}

beforeEach(() =>
  execute(
    database.url,
    `truncate orders, customers, changes, idempotency, feeds, webhook_endpoints, webhook_queues, webhook_deliveries`,
  ),
);

/** Makes every query about the deliveries of the owner fail. */
async function failingDeliveries(): Promise<void> {
  onTestFinished(async () => {
    await execute(
      database.url,
      `drop policy failing on webhook_deliveries; alter table webhook_deliveries disable row level security`,
    );
  });
  await execute(
    database.url,
    `alter table webhook_deliveries enable row level security, force row level security;
     create policy failing on webhook_deliveries using (owner_id <> '${LOCKED}' or 1 / (length(owner_id) - 1) = 0)`,
  );
}

/** Stores something to purge of every kind. */
async function insertOld(owner: string): Promise<void> {
  await insertChanges(database.url, owner, [
    { id: idOf(1), version: 1, at: hoursAgo(98) },
    { id: idOf(1), version: 2, at: hoursAgo(97), deletion: true },
    { id: idOf(2), version: 1, at: hoursAgo(96) },
    { id: idOf(2), version: 2, at: hoursAgo(95) },
    { aggregate: 'webhook_endpoint', id: idOf(3), version: 1, at: hoursAgo(94), deletion: true },
    { id: idOf(4), version: 1, at: hoursAgo(48) },
    { id: idOf(4), version: 2, at: hoursAgo(47), deletion: true },
  ]);
  await newNumbering(database.current).run(owner);
  await execute(
    database.url,
    `update feeds set purged = 7, purged_id = (select event_id from changes where owner_id = '${owner}' and position = 7)
     where owner_id = '${owner}'`,
  );
  await insertChanges(database.url, owner, [{ id: idOf(5), version: 1, at: hoursAgo(46) }]);
  await insertKey(database.url, owner, 'expired', { id: idOf(5), version: 1 }, hoursAgo(1));
  await insertEndpoint(database.url, owner, endpointId(1));
  await execute(database.url, `delete from webhook_endpoints where owner_id = '${owner}'`);
  await insertDeliveries(database.url, owner, endpointId(1), [1, 2]);
}

/** Returns what is left of an owner after a purge. */
async function leftOf(owner: string): Promise<readonly string[]> {
  const rows = await execute<{ text: string }>(
    database.url,
    `select right(aggregate_id::text, 1) || ' v' || version || case when snapshot is null and items is null then ' erased'
       else '' end || case when position <= (select purged from feeds where owner_id = '${owner}') then ' left' else '' end as text
     from changes where owner_id = '${owner}'
     union all select key from idempotency where owner_id = '${owner}'
     union all select 'delivery' from webhook_deliveries where owner_id = '${owner}' order by text`,
  );
  return rows.map(({ text }) => text);
}

const PURGED = ['2 v2 left', '4 v1 erased left', '4 v2 erased left', '5 v1 left'];

describe('a purge', () => {
  const recordOf = (id: number) =>
    `select from changes where owner_id = '${LOCKED}' and aggregate_id = '${idOf(id)}' for update`;

  it.each([
    ['an expired key', `select from idempotency where owner_id = '${LOCKED}' for update`],
    ['a feed', `select from feeds where owner_id = '${LOCKED}' for update`],
    ['a record of a deleted order', recordOf(1)],
    ['an earlier version of an order', recordOf(2)],
    ['a record of a deleted endpoint', recordOf(3)],
    ['a snapshot of a deleted order', recordOf(4)],
    ['a delivery', `select from webhook_deliveries where owner_id = '${LOCKED}' for update`],
  ])('goes on past %s that another transaction has locked, and returns to it', async (_, lock) => {
    for (const owner of OWNERS) await insertOld(owner);
    const steps = collecting();
    const run = purge(database.current, steps);
    const release = await holding(database.url, lock);
    await run(ages());
    expect(steps.passedOver).toEqual([LOCKED]);
    expect([await leftOf(BEFORE), await leftOf(BEHIND)]).toEqual([PURGED, PURGED]);
    await release();
    await run(ages());
    expect(steps.passedOver).toEqual([LOCKED]);
    expect(await leftOf(LOCKED)).toEqual(PURGED);
  });
});

describe('the numbering of backlogs', () => {
  it('goes on past a feed that another transaction has locked, and returns to it', async () => {
    await insertMany(database.url, LOCKED, 1, '2026-01-01');
    await newNumbering(database.current).run(LOCKED);
    for (const owner of OWNERS) await insertMany(database.url, owner, 1001, '2026-01-01');
    const release = await holding(database.url, `select from feeds where owner_id = '${LOCKED}' for update`);
    const steps = collecting();
    const run = () => numberBacklogs(database.current, undefined, steps);
    expect(await run()).toMatchObject({ owners: 2 });
    expect(steps.passedOver).toEqual([LOCKED]);
    await release();
    expect(await run()).toMatchObject({ owners: 1 });
  });
});

describe('the numbering of a small backlog', () => {
  it('does not wait for the end of a large one', async () => {
    await insertMany(database.url, BEFORE, 12_000, '2026-01-01');
    await insertMany(database.url, BEHIND, 1001, '2026-01-01');
    const left = async (owner: string) =>
      (await execute(database.url, `select from changes where owner_id = '${owner}' and position is null`)).length;
    const stop = new AbortController();
    const running = numberBacklogs(database.current, stop.signal);
    await vi.waitFor(async () => expect(await left(BEHIND)).toBe(0));
    expect(await left(BEFORE)).toBeGreaterThan(0);
    stop.abort();
    await running;
  });
});

describe('deliveries of webhooks', () => {
  it('are created by a later fan-out if another transaction has locked their queue, which is reported', async () => {
    const steps = collecting();
    const queue = postgresWebhookQueue(database.current, steps);
    await insertEndpoint(database.url, LOCKED, endpointId(1));
    await insertMany(database.url, LOCKED, 1, '2026-01-01');
    const release = await holding(database.url, `select from webhook_queues where owner_id = '${LOCKED}' for update`);
    expect((await queue.fanOut(LOCKED)).isOk()).toBe(true);
    expect(steps.passedOver).toEqual([LOCKED]);
    await release();
    await queue.fanOut(LOCKED);
    expect((await queue.claim(LOCKED, 1))._unsafeUnwrap()).toHaveLength(1);
  });

  it('are found and counted of every owner about whom the query succeeds', async () => {
    const steps = collecting();
    const queue = postgresWebhookQueue(database.current, steps);
    for (const owner of OWNERS) {
      await insertEndpoint(database.url, owner, endpointId(1), 9);
      await insertDeliveries(database.url, owner, endpointId(1), [1, 1]);
    }
    await failingDeliveries();
    const found: string[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const { owners, next } = (await queue.findDue(1000, after ?? null))._unsafeUnwrap();
      found.push(...owners);
      after = next;
    }
    expect(found).toEqual([BEFORE, BEHIND]);
    const { worker } = await dueDeliveries(database.current, undefined, steps);
    expect(worker.count).toBe(2);
    expect(steps.passedOver).toEqual([LOCKED, LOCKED]);
  });
});

describe('an open transaction that has deleted a customer', () => {
  it('keeps the events of this customer out of the feed, and no others', async () => {
    const store = postgresStore(database.current);
    const domain = createDomain(store);
    const ada = { email: 'ada@example.com', name: 'Ada' };
    const { customer } = (await domain.createCustomer(LOCKED, ada))._unsafeUnwrap();
    const item = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
    (await domain.placeOrder(LOCKED, { items: [item] }))._unsafeUnwrap();
    const read = async () =>
      (await readPage(store.feed, LOCKED))
        .map(({ data, caught_up }) => [...data.map(({ type }) => type), caught_up])
        ._unsafeUnwrap();
    const deleted = await database.current.transaction(async (open) => {
      (await open.domain.deleteCustomer(LOCKED, customer.id))._unsafeUnwrap();
      expect(await read()).toEqual(['order.placed', false]);
      return ok('deleted');
    });
    expect(deleted.isOk()).toBe(true);
    expect(await read()).toEqual(['order.placed', 'customer.created', 'customer.deleted', true]);
  });
});
