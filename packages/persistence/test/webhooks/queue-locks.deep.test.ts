import { type Database, openDatabase, postgresWebhookQueue, purge } from '@orders/persistence';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { claimFirst } from '../fixtures/contract-subject.ts';
import { ACCEPTED, endpointId, insertEndpoint, insertVersions, storedDeliveries } from '../fixtures/delivery-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { anotherSession, holding, untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
let impatient: Database;

beforeAll(() => {
  impatient = openDatabase({ url: database.url, lockTimeoutMs: 200 });
});
afterAll(() => impatient.close());

const lockQueue = (owner: string, id: string) =>
  holding(database.url, `select from webhook_queues where owner_id = '${owner}' and endpoint_id = '${id}' for update`);

/** Returns the argument of a settlement that failed finally. */
const settlementOf = (claim: object) =>
  JSON.stringify([{ ...claim, counts: true, status: 'failed', last_status: 500, last_duration_ms: 1 }]);

const FIRST = endpointId(1);
const SECOND = endpointId(2);

/** Stores two endpoints of an owner, and as many versions of an order. */
async function aSubscriber(owner: string, versions: number, from?: string): Promise<void> {
  for (const id of [FIRST, SECOND]) await insertEndpoint(database.url, owner, id);
  await insertVersions(database.url, owner, 1, [1, versions], from);
}

describe('a queue that another session has locked', () => {
  it('delays the fan-out and the claims of its endpoint alone', async () => {
    const owner = 'locked';
    const queue = postgresWebhookQueue(impatient);
    await aSubscriber(owner, 1);
    const release = await lockQueue(owner, FIRST);
    expect((await queue.fanOut(owner))._unsafeUnwrap().isMoreLeft).toBe(false);
    const claimed = (await queue.claim(owner, 10))._unsafeUnwrap();
    expect(claimed.map(({ endpoint }) => endpoint.id)).toEqual([SECOND]);
    expect((await queue.findDue(100, null))._unsafeUnwrap().owners).toContain(owner);
    await release();
    expect((await queue.fanOut(owner))._unsafeUnwrap().isMoreLeft).toBe(false);
    const later = (await queue.claim(owner, 10))._unsafeUnwrap();
    expect(later.map(({ endpoint }) => endpoint.id)).toEqual([FIRST]);
  });

  it('makes settlements of its endpoint unavailable, and those of others not', async () => {
    const owner = 'settled';
    const queue = postgresWebhookQueue(impatient);
    await aSubscriber(owner, 1);
    (await queue.fanOut(owner))._unsafeUnwrap();
    const claimed = (await queue.claim(owner, 10))._unsafeUnwrap();
    const release = await lockQueue(owner, FIRST);
    for (const one of claimed) {
      const settled = await queue.settle(owner, one, ...ACCEPTED);
      const outcome = settled.match(
        ({ recorded }) => recorded,
        ({ type }) => type,
      );
      expect(outcome).toBe(one.endpoint.id === SECOND ? true : 'unavailable');
    }
    await release();
    for (const one of claimed) {
      const settled = (await queue.settle(owner, one, ...ACCEPTED))._unsafeUnwrap();
      expect(settled).toMatchObject({ recorded: one.endpoint.id === FIRST, isDead: false });
    }
  });

  it('keeps its deliveries in a purge, which deletes those of others, and a later one deletes them', async () => {
    const owner = 'purged';
    const queue = postgresWebhookQueue(impatient);
    await aSubscriber(owner, 2, '2001-01-01');
    (await queue.fanOut(owner))._unsafeUnwrap();
    const release = await lockQueue(owner, FIRST);
    const ages = () => ({ now: new Date().toISOString(), eventsBefore: '2002-01-01T00:00:00.000Z' });
    await purge(impatient)(ages());
    expect(new Set((await storedDeliveries(database.url, owner)).map((one) => one.endpoint_id))).toEqual(
      new Set([FIRST]),
    );
    await release();
    await purge(impatient)(ages());
    expect(await storedDeliveries(database.url, owner)).toEqual([]);
  });
});

describe('a settlement, a claim and a fan-out', () => {
  it('do not wait for the disk with the lock of the queue, as other commits do', async () => {
    const owner = 'commits';
    await insertEndpoint(database.url, owner, FIRST);
    const names = await execute<{ name: string }>(
      database.url,
      `select proname as name from pg_proc where proname ~ '^webhook_(fan_out|claim|settle)_' order by 1`,
    );
    const session = await anotherSession(database.url);
    const settings: string[] = [];
    for (const values of [
      `('${owner}', 8)`,
      `('${owner}', '${FIRST}')`,
      `('${owner}', '${FIRST}', '${settlementOf({ position: 1, fence: 1, attempt: 1 })}')`,
    ]) {
      const name = names[settings.length]?.name;
      await session.query(`begin; set local synchronous_commit = on; select ${name}${values}`);
      const { rows } = await session.query<{ synchronous_commit: string }>('show synchronous_commit');
      settings.push(...rows.map((row) => row.synchronous_commit));
      await session.query('rollback');
    }
    expect(settings).toEqual(['off', 'off', 'off']);
  });
});

describe('a fan-out that waits for a settlement', () => {
  it('sees it, and so lets no delivery wait for one that was settled', async () => {
    const owner = 'waiting';
    const queue = postgresWebhookQueue(database.current);
    await insertEndpoint(database.url, owner, FIRST);
    await insertVersions(database.url, owner, 1, [1, 1]);
    const first = await claimFirst(queue, owner);
    await insertVersions(database.url, owner, 1, [2, 2]);
    // So that the settlement changes nothing else of the queue.
    await execute(database.url, `update webhook_deliveries set fresh = false where owner_id = '${owner}'`);
    const [settle] = await execute<{ name: string }>(
      database.url,
      `select proname as name from pg_proc where proname like 'webhook_settle_%'`,
    );
    const session = await anotherSession(database.url);
    await session.query(
      `begin; select ${settle?.name}('${owner}', '${FIRST}', '${settlementOf({ position: 1, fence: first.fence, attempt: 1 })}')`,
    );
    let fannedOut = queue.fanOut(owner);
    await vi.waitFor(async () => {
      const waiting = `select 1 from pg_stat_activity
        where datname = current_database() and query like '%webhook_fan_out%' and wait_event_type = 'Lock'`;
      const isWaiting = (await execute(database.url, waiting)).length > 0;
      // On a busy machine it may have given up before.
      if (!isWaiting) fannedOut = fannedOut.andThen(() => queue.fanOut(owner));
      expect(isWaiting).toBe(true);
    });
    await session.query('commit');
    (await fannedOut)._unsafeUnwrap();
    expect((await claimFirst(queue, owner)).event.resource.version).toBe(2);
  });
});

describe('a fan-out of several endpoints', () => {
  it('uses one connection, so that requests of the owner get the others', async () => {
    const owner = 'several';
    await aSubscriber(owner, 1);
    const opened = untilFinished(openDatabase({ url: database.url, poolMax: 6 }));
    // Each fan-out of an endpoint waits for this lock, and then leaves the endpoint to a later one.
    await holding(database.url, 'select from webhook_queues for update');
    const state = { isOver: false };
    const fannedOut = postgresWebhookQueue(opened)
      .fanOut(owner)
      .map(() => (state.isOver = true));
    let most = 0;
    const waiting = `select from pg_stat_activity
      where datname = current_database() and query like '%webhook_fan_out%' and wait_event_type = 'Lock'`;
    while (!state.isOver) most = Math.max(most, (await execute(database.url, waiting)).length);
    (await fannedOut)._unsafeUnwrap();
    expect(most).toBe(1);
  });
});
