import { postgresWebhookQueue } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { anotherSession } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { endpointId, insertDeliveries, insertEndpoint, insertVersions } from '../fixtures/delivery-rows.ts';
import { buffersOf, explain } from '../plans/plans.ts';

const database = testDatabase();
const ENDPOINT = endpointId(1);

/** Deliveries of which most are settled between two measurements. */
const DELIVERIES = 4000;
const [EARLY, LATE] = [200, 3600];

/** Buffers by which a call may grow: the indexes get one level more. */
const GROWTH_MAX = 30;

/** Returns the names of the functions of the queue by their prefixes. */
async function functionsOf(): Promise<Readonly<Record<string, string>>> {
  const rows = await execute<{ prefix: string; name: string }>(
    database.url,
    `select substring(proname from '^webhook_(.*)_[0-9a-f]{16}$') as prefix, proname as name from pg_proc
     where proname like 'webhook\\_%'`,
  );
  return Object.fromEntries(rows.map(({ prefix, name }) => [prefix, name]));
}

/**
 * Claims and settles deliveries, each call in a transaction of its own, until `count` of the owner's deliveries were
 * accepted.
 */
async function settleMany(owner: string, count: number): Promise<void> {
  const { claim, settle } = await functionsOf();
  await execute(
    database.url,
    `do $$
     declare
       claimed json;
       one record;
       settled int := (select count(*) from webhook_deliveries where owner_id = '${owner}' and status = 'delivered');
     begin
       while settled < ${count} loop
         claimed := ${claim}('${owner}', 8) -> 'claimed';
         commit;
         if json_array_length(claimed) = 0 then raise 'nothing was claimed'; end if;
         for one in select * from json_to_recordset(claimed) as c (endpoint_id uuid, position bigint, attempt int, fence int)
         loop
           perform ${settle}('${owner}', one.endpoint_id, json_build_array(json_build_object('position', one.position,
             'fence', one.fence, 'attempt', one.attempt, 'counts', true, 'status', 'delivered', 'last_status', 204,
             'last_duration_ms', 1)));
           settled := settled + 1;
           commit;
         end loop;
       end loop;
     end $$`,
  );
}

/** Returns the pages that a claim, a settlement, a fan-out and the search for due owners read. Changes nothing. */
async function buffersOfCalls(owner: string): Promise<Readonly<Record<string, number>>> {
  const { claim, settle, fan_out: fanOut } = await functionsOf();
  const session = await anotherSession(database.url);
  const explained = async (statement: string) => buffersOf(await explain(session, statement));
  // The first calls of a session also read the catalog.
  const measure = async () => {
    await session.query('begin');
    const claimed = await explained(`select ${claim}('${owner}', 8)`);
    await session.query('rollback; begin');
    const { rows } = await session.query<{ position: string; fence: number; attempt: number }>(
      `select c.* from json_to_recordset(${claim}('${owner}', 8) -> 'claimed')
         as c (position bigint, fence int, attempt int)`,
    );
    const [one] = rows;
    if (!one) throw new Error('nothing was claimed');
    const settled = await explained(
      `select ${settle}('${owner}', '${ENDPOINT}', json_build_array(json_build_object('position', ${one.position},
         'fence', ${one.fence}, 'attempt', ${one.attempt}, 'counts', true, 'status', 'delivered', 'last_status', 204,
         'last_duration_ms', 1)))`,
    );
    await session.query('rollback; begin');
    const fannedOut = await explained(`select ${fanOut}('${owner}', '${ENDPOINT}')`);
    await session.query('rollback');
    return { claimed, settled, fannedOut };
  };
  for (let count = 0; count < 7; count += 1) await measure();
  return await measure();
}

/** Returns by how much the pages of each call grow while deliveries are settled and a snapshot from before is open. */
async function growth(owner: string) {
  await execute(database.url, 'alter table webhook_deliveries set (autovacuum_enabled = false)');
  await execute(database.url, 'alter table webhook_queues set (autovacuum_enabled = false)');
  await execute(database.url, 'analyze');
  const backup = await anotherSession(database.url);
  await backup.query('begin isolation level repeatable read; select 1');
  await settleMany(owner, EARLY);
  const early = await buffersOfCalls(owner);
  await settleMany(owner, LATE);
  const late = await buffersOfCalls(owner);
  await backup.query('rollback');
  return Object.keys(early).filter((call) => !((late[call] ?? NaN) - (early[call] ?? NaN) <= GROWTH_MAX));
}

describe('while a session keeps an old snapshot, as a backup does,', () => {
  it('calls of the queue read no more pages after thousands of deliveries', async () => {
    await insertEndpoint(database.url, 'backlog', ENDPOINT);
    await insertDeliveries(database.url, 'backlog', ENDPOINT, [1, DELIVERIES]);
    expect(await growth('backlog')).toEqual([]);
  });

  it('calls of the queue read no more pages after thousands of further attempts', async () => {
    await insertEndpoint(database.url, 'retries', ENDPOINT);
    const dueAt = `now() - interval '1 hour' + n * interval '1 millisecond'`;
    await insertDeliveries(database.url, 'retries', ENDPOINT, [1, DELIVERIES], { fresh: 'false', dueAt });
    expect(await growth('retries')).toEqual([]);
  });

  it('calls of the queue read no more pages after thousands of deliveries of one resource', async () => {
    await insertEndpoint(database.url, 'resource', ENDPOINT);
    await insertVersions(database.url, 'resource', 1, [1, DELIVERIES]);
    const queue = postgresWebhookQueue(database.current);
    while ((await queue.fanOut('resource'))._unsafeUnwrap().isMoreLeft);
    expect(await growth('resource')).toEqual([]);
  });
});
