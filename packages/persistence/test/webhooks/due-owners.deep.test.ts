import { postgresWebhookQueue } from '@orders/persistence';
import { expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { buffersOfWork } from './buffers-of.ts';
import { endpointId, insertEndpoint, insertVersions } from '../fixtures/delivery-rows.ts';

const database = testDatabase();

const ENDPOINTS = 100_000;
const LIMIT = 1000;

/** Pages that a search may read for each endpoint that it covers: some levels of six indexes. */
const BUFFERS_PER_ENDPOINT = 30;

it('a search for due owners reads some pages per endpoint of its range, however many endpoints there are', async () => {
  await insertEndpoint(database.url, 'a', endpointId(1));
  await insertVersions(database.url, 'a', 1, [1, 1]);
  await execute(
    database.url,
    `insert into webhook_endpoints
     select 'o' || lpad(n::text, 6, '0'), e.id, e.url, e.types, e.include, null, e.status, null, e.secrets, 0, 1, 1,
       e.created_at, e.updated_at
     from webhook_endpoints as e, generate_series(1, ${ENDPOINTS}) as n where e.owner_id = 'a';
     insert into webhook_queues (owner_id, endpoint_id, revision, position, endpoint_version, failing)
     select owner_id, id, 0, 0, 1, 0 from webhook_endpoints where owner_id <> 'a'`,
  );
  await execute(database.url, 'analyze');
  const buffers = await buffersOfWork(database.url, 3, async (watched) => {
    const first = (await postgresWebhookQueue(watched).findDue(LIMIT, null))._unsafeUnwrap();
    expect(first).toEqual({ owners: ['a'], next: 'o000999' });
  });
  expect(buffers).toBeLessThan(BUFFERS_PER_ENDPOINT * LIMIT);
  const queue = postgresWebhookQueue(database.current);
  expect((await queue.findDue(LIMIT, 'o099999'))._unsafeUnwrap()).toEqual({ owners: [], next: null });
});
