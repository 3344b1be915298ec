import { postgresWebhookQueue, purge } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import {
  endpointId,
  insertDeliveries,
  insertEndpoint,
  insertVersions,
  storedDeliveries,
} from '../fixtures/delivery-rows.ts';

const database = testDatabase();
const FIRST = endpointId(1);
const SECOND = endpointId(2);

const purgeUntil = (eventsBefore: string) =>
  purge(database.current)({ now: new Date().toISOString(), eventsBefore: `${eventsBefore}T00:00:00.000Z` });

const endpointsWithQueues = (owner: string) =>
  execute(database.url, `select endpoint_id from webhook_queues where owner_id = '${owner}' order by 1`);

describe('a purge', () => {
  it('deletes the deliveries and the queue of a deleted endpoint, in several batches', async () => {
    const owner = 'deleted';
    for (const id of [FIRST, SECOND]) {
      await insertEndpoint(database.url, owner, id);
      await insertDeliveries(database.url, owner, id, [1, 2500]);
    }
    await execute(database.url, `delete from webhook_endpoints where owner_id = '${owner}' and id = '${FIRST}'`);
    expect(await purgeUntil('2001-01-01')).toEqual({
      keys: 0,
      deliveries: 2500,
      changes: 0,
      snapshots: 0,
      erasures: 0,
    });
    expect(await endpointsWithQueues(owner)).toEqual([{ endpoint_id: SECOND }]);
    const left = await storedDeliveries(database.url, owner);
    expect(left).toHaveLength(2500);
    expect(new Set(left.map((one) => one.endpoint_id))).toEqual(new Set([SECOND]));
  });

  it('deletes the queue that another server creates for a deleted endpoint at the next purge', async () => {
    const owner = 'late';
    await insertEndpoint(database.url, owner, FIRST);
    await execute(database.url, `delete from webhook_endpoints where owner_id = '${owner}'`);
    await purgeUntil('2001-01-01');
    expect(await endpointsWithQueues(owner)).toEqual([]);
    const queue = `insert into webhook_queues values ('${owner}', '${FIRST}', 5, 1, null, 0, null, null, 0)`;
    await execute(database.url, queue);
    await insertDeliveries(database.url, owner, FIRST, [1, 5]);
    await purgeUntil('2001-01-01');
    expect(await storedDeliveries(database.url, owner)).toEqual([]);
    expect(await endpointsWithQueues(owner)).toEqual([]);
  });

  it('visits the queues of more owners than a batch has', async () => {
    await execute(
      database.url,
      `insert into webhook_queues select 'owner ' || n, '${FIRST}', 0, 1, null, 0, null, null, 0 from generate_series(1, 1050) n`,
    );
    await purgeUntil('2001-01-01');
    expect(await execute(database.url, `select 1 from webhook_queues where owner_id like 'owner %'`)).toEqual([]);
  });

  it('reports the events that an endpoint has missed', async () => {
    const owner = 'behind';
    const missed: unknown[] = [];
    const queue = postgresWebhookQueue(database.current, { onExpired: (...expired) => missed.push(expired) });
    await insertEndpoint(database.url, owner, FIRST);
    await insertVersions(database.url, owner, 1, [1, 3], '2001-01-01');
    await purgeUntil('2002-01-01');
    await insertVersions(database.url, owner, 1, [4, 4]);
    for (let call = 0; call < 2; call += 1) (await queue.fanOut(owner))._unsafeUnwrap();
    expect(missed).toEqual([[owner, FIRST, 3]]);
    expect((await storedDeliveries(database.url, owner)).map(({ position }) => position)).toEqual(['4']);
  });
});
