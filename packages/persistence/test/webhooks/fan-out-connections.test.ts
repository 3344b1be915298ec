import { openDatabase, postgresWebhookQueue } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { upTo } from '../fixtures/feed-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { anotherSession } from '../fixtures/another-session.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { endpointId, insertEndpoint, insertVersions, storedDeliveries } from '../fixtures/delivery-rows.ts';

const database = testDatabase();

const ENDPOINTS = 4;

const WAITING = `select from pg_stat_activity where datname = current_database() and query like '%webhook_fan_out%' and wait_event_type = 'Lock'`;

it('a fan-out of several endpoints uses one connection, so that requests of the owner get the others', async () => {
  for (const number of upTo(ENDPOINTS)) await insertEndpoint(database.url, 'owner', endpointId(number));
  await insertVersions(database.url, 'owner', 1, [1, 1]);
  const opened = openDatabase({ url: database.url, poolMax: 3 * ENDPOINTS });
  onTestFinished(() => opened.close());
  const queue = postgresWebhookQueue(opened);
  // Each fan-out of an endpoint waits for this lock, and then leaves the endpoint to a later one.
  const session = await anotherSession(database.url);
  await session.query('begin; select from webhook_queues for update');
  const state = { isOver: false };
  const fanOut = async () => {
    (await queue.fanOut('owner'))._unsafeUnwrap();
    state.isOver = true;
  };
  const fannedOut = fanOut();
  let most = 0;
  while (!state.isOver) most = Math.max(most, (await execute(database.url, WAITING)).length);
  await fannedOut;
  expect(most).toBe(1);
  await session.query('rollback');
  (await queue.fanOut('owner'))._unsafeUnwrap();
  expect(await storedDeliveries(database.url, 'owner')).toHaveLength(ENDPOINTS);
});
