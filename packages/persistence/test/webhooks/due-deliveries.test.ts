import { ENDPOINT_IN_FLIGHT_MAX, LEASE_MS } from '@orders/domain/webhooks';
import { dueDeliveries, postgresWebhookQueue } from '@orders/persistence';
import { beforeEach, describe, expect, it } from 'vitest';
import { advance, claimFirst } from '../fixtures/contract-subject.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import {
  ACCEPTED,
  endpointId,
  insertDeliveries,
  insertEndpoint,
  insertVersions,
  rejected,
  setStatus,
} from '../fixtures/delivery-rows.ts';

const database = testDatabase();

const FIRST = endpointId(1);
const HOUR_MS = 60 * 60 * 1000;
const NONE = { count: 0, oldestAgeMs: 0 };

const due = () => dueDeliveries(database.current);

/** Expects an age of `ms`, and up to a minute more. */
const atLeast = (ms: number): unknown => expect.toSatisfy((age: number) => age >= ms && age < ms + 60_000);

beforeEach(async () => {
  await execute(database.url, 'truncate webhook_endpoints, webhook_queues, webhook_deliveries, changes, feeds cascade');
});

describe('dueDeliveries', () => {
  it('returns zeros without endpoints, and when all is delivered', async () => {
    expect(await due()).toEqual({ worker: NONE, endpoint: NONE });
    await insertEndpoint(database.url, 'a', FIRST);
    await insertVersions(database.url, 'a', 1, [1, 1]);
    const queue = postgresWebhookQueue(database.current);
    (await queue.settle('a', await claimFirst(queue, 'a'), ...ACCEPTED))._unsafeUnwrap();
    expect(await due()).toEqual({ worker: NONE, endpoint: NONE });
  });

  it('counts first and further attempts of all owners, and finds the oldest of each kind', async () => {
    for (const owner of ['a', 'b']) await insertEndpoint(database.url, owner, FIRST);
    await insertDeliveries(database.url, 'a', FIRST, [1, 3]);
    const retry = { fresh: 'false', dueAt: `now() - interval '2 hours'` };
    await insertDeliveries(database.url, 'b', FIRST, [1, 2], retry);
    await insertDeliveries(database.url, 'b', FIRST, [3, 4], { ...retry, dueAt: `now() + interval '1 hour'` });
    expect(await due()).toEqual({ worker: { count: 5, oldestAgeMs: atLeast(2 * HOUR_MS) }, endpoint: NONE });
    await insertDeliveries(database.url, 'a', FIRST, [4, 4], { dueAt: `now() - interval '3 hours'` });
    expect(await due()).toEqual({ worker: { count: 6, oldestAgeMs: atLeast(3 * HOUR_MS) }, endpoint: NONE });
  });

  it('counts the wanted events that have no delivery yet, with and without a position', async () => {
    await insertEndpoint(database.url, 'a', FIRST);
    await insertVersions(database.url, 'a', 1, [1, 4]);
    await execute(database.url, `update changes set occurred_at = now() - version * interval '1 hour'`);
    expect(await due()).toEqual({ worker: { count: 4, oldestAgeMs: atLeast(4 * HOUR_MS) }, endpoint: NONE });
    await execute(database.url, `update changes set position = 5 - version where version > 2`);
    expect(await due()).toEqual({ worker: { count: 4, oldestAgeMs: atLeast(4 * HOUR_MS) }, endpoint: NONE });
    await execute(database.url, `insert into feeds values ('a', 1, null)`);
    expect(await due()).toEqual({ worker: { count: 3, oldestAgeMs: atLeast(3 * HOUR_MS) }, endpoint: NONE });
    await execute(database.url, `delete from feeds; update webhook_queues set position = 1`);
    expect(await due()).toEqual({ worker: { count: 3, oldestAgeMs: atLeast(3 * HOUR_MS) }, endpoint: NONE });
    await execute(database.url, `update webhook_endpoints set types = '["order.placed"]'`);
    expect(await due()).toEqual({ worker: { count: 1, oldestAgeMs: atLeast(HOUR_MS) }, endpoint: NONE });
    await setStatus(database.url, 'a', FIRST, 'disabled');
    expect(await due()).toEqual({ worker: NONE, endpoint: NONE });
  });

  it('counts deliveries apart that wait for a place among the attempts of their endpoint, whose owner is not due', async () => {
    await insertEndpoint(database.url, 'a', FIRST);
    for (let order = 1; order <= ENDPOINT_IN_FLIGHT_MAX + 2; order += 1)
      await insertVersions(database.url, 'a', order, [1, 1]);
    const queue = postgresWebhookQueue(database.current);
    const isDue = async () => (await queue.findDue(10, null))._unsafeUnwrap().owners.includes('a');
    expect(await due()).toMatchObject({ worker: { count: ENDPOINT_IN_FLIGHT_MAX + 2 }, endpoint: NONE });
    const first = await claimFirst(queue, 'a', ENDPOINT_IN_FLIGHT_MAX);
    expect(await due()).toMatchObject({ worker: NONE, endpoint: { count: 2 } });
    expect(await isDue()).toBe(false);
    (await queue.settle('a', first, ...ACCEPTED))._unsafeUnwrap();
    expect(await due()).toMatchObject({ worker: { count: 2 }, endpoint: NONE });
    expect(await isDue()).toBe(true);
    expect((await queue.claim('a', ENDPOINT_IN_FLIGHT_MAX))._unsafeUnwrap()).toHaveLength(1);
    expect(await isDue()).toBe(false);
    await advance(database.current, 'a', LEASE_MS);
    expect(await isDue()).toBe(true);
  });

  it('counts first attempts apart that wait because their endpoint fails, and not its further ones', async () => {
    await insertEndpoint(database.url, 'a', FIRST);
    for (let order = 1; order <= 3; order += 1) await insertVersions(database.url, 'a', order, [1, 1]);
    const queue = postgresWebhookQueue(database.current);
    (await queue.settle('a', await claimFirst(queue, 'a', 1), ...rejected(0)))._unsafeUnwrap();
    expect(await due()).toMatchObject({ worker: { count: 1 }, endpoint: { count: 2 } });
  });

  it('counts those of more endpoints than one query covers, until it is aborted', async () => {
    await insertEndpoint(database.url, 'a', FIRST);
    await execute(
      database.url,
      `insert into webhook_endpoints
       select 'o' || lpad(n::text, 6, '0'), e.id, e.url, e.types, e.include, null, e.status, null, e.secrets, 0, 1, 1,
         e.created_at, e.updated_at
       from webhook_endpoints as e, generate_series(1, 250) as n`,
    );
    for (const owner of ['a', 'o000100', 'o000250']) await insertDeliveries(database.url, owner, FIRST, [1, 2]);
    expect(await due()).toMatchObject({ worker: { count: 6 }, endpoint: NONE });
    expect(await dueDeliveries(database.current, AbortSignal.abort())).toEqual({ worker: NONE, endpoint: NONE });
  });
});
