import { type Database, openDatabase, postgresWebhookQueue, purge } from '@orders/persistence';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { anotherSession } from '../fixtures/another-session.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { ACCEPTED, endpointId, insertEndpoint, insertVersions, storedDeliveries } from '../fixtures/delivery-rows.ts';

const database = testDatabase();
let impatient: Database;

beforeAll(() => {
  impatient = openDatabase({ url: database.url, lockTimeoutMs: 200 });
});
afterAll(() => impatient.close());

const lockQueue = (owner: string, id: string) =>
  `begin; select from webhook_queues where owner_id = '${owner}' and endpoint_id = '${id}' for update`;

/** Returns the argument of a settlement that failed finally. */
const settlementOf = (claim: object) =>
  JSON.stringify([{ ...claim, counts: true, status: 'failed', last_status: 500, last_duration_ms: 1 }]);

const FIRST = endpointId(1);
const SECOND = endpointId(2);

describe('a queue that another session has locked', () => {
  it('delays the fan-out and the claims of its endpoint alone', async () => {
    const owner = 'locked';
    const queue = postgresWebhookQueue(impatient);
    for (const id of [FIRST, SECOND]) await insertEndpoint(database.url, owner, id);
    await insertVersions(database.url, owner, 1, [1, 1]);
    const session = await anotherSession(database.url);
    await session.query(lockQueue(owner, FIRST));
    expect((await queue.fanOut(owner))._unsafeUnwrap().isMoreLeft).toBe(false);
    const claimed = (await queue.claim(owner, 10))._unsafeUnwrap();
    expect(claimed.map(({ endpoint }) => endpoint.id)).toEqual([SECOND]);
    expect((await queue.findDue(100, null))._unsafeUnwrap().owners).toContain(owner);
    await session.query('rollback');
    expect((await queue.fanOut(owner))._unsafeUnwrap().isMoreLeft).toBe(false);
    const later = (await queue.claim(owner, 10))._unsafeUnwrap();
    expect(later.map(({ endpoint }) => endpoint.id)).toEqual([FIRST]);
  });

  it('makes settlements of its endpoint unavailable, and those of others not', async () => {
    const owner = 'settled';
    const queue = postgresWebhookQueue(impatient);
    for (const id of [FIRST, SECOND]) await insertEndpoint(database.url, owner, id);
    await insertVersions(database.url, owner, 1, [1, 1]);
    (await queue.fanOut(owner))._unsafeUnwrap();
    const claimed = (await queue.claim(owner, 10))._unsafeUnwrap();
    const session = await anotherSession(database.url);
    await session.query(lockQueue(owner, FIRST));
    for (const one of claimed) {
      const settled = await queue.settle(owner, one, ...ACCEPTED);
      const outcome = settled.match(
        ({ recorded }) => recorded,
        ({ type }) => type,
      );
      expect(outcome).toBe(one.endpoint.id === SECOND ? true : 'unavailable');
    }
    await session.query('rollback');
    for (const one of claimed) {
      const settled = (await queue.settle(owner, one, ...ACCEPTED))._unsafeUnwrap();
      expect(settled).toMatchObject({ recorded: one.endpoint.id === FIRST, isDead: false });
    }
  });

  it('keeps its deliveries in a purge, which deletes those of others, and a later one deletes them', async () => {
    const owner = 'purged';
    const queue = postgresWebhookQueue(impatient);
    for (const id of [FIRST, SECOND]) await insertEndpoint(database.url, owner, id);
    await insertVersions(database.url, owner, 1, [1, 2], '2001-01-01');
    (await queue.fanOut(owner))._unsafeUnwrap();
    const session = await anotherSession(database.url);
    await session.query(lockQueue(owner, FIRST));
    const ages = () => ({ now: new Date().toISOString(), eventsBefore: '2002-01-01T00:00:00.000Z' });
    await purge(impatient)(ages());
    expect(new Set((await storedDeliveries(database.url, owner)).map((one) => one.endpoint_id))).toEqual(
      new Set([FIRST]),
    );
    await session.query('rollback');
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
    (await queue.fanOut(owner))._unsafeUnwrap();
    const [first] = (await queue.claim(owner, 10))._unsafeUnwrap();
    if (!first) throw new Error('nothing was claimed');
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
    (await queue.fanOut(owner))._unsafeUnwrap();
    const [second] = (await queue.claim(owner, 10))._unsafeUnwrap();
    expect(second?.event.resource.version).toBe(2);
  });
});
