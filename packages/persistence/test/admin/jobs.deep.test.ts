import { type OrderDefinition, ORDERS } from '@orders/domain';
import type { CancelFilter, JobWork } from '@orders/domain/operators';
import { createDomain } from '@orders/domain/runtime';
import {
  type Database,
  openDatabase,
  postgresAudit,
  postgresOperatorJobs,
  postgresStore,
  runJobs,
} from '@orders/persistence';
import { type PostgresProxy, startPostgresProxy, type Statement } from '@orders/postgres-proxy';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { newNumbering } from '../../src/events/numbering.ts';
import { insertKey } from '../fixtures/change-rows.ts';
import { endpointId, insertEndpoint } from '../fixtures/delivery-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { holding } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const created = testDatabase();
/** The database, of a definition that is known only when a program runs, as servers have it. */
const database = { url: created.url, current: opened(created.url) };
const BY = { actor: 'operator:019b0000-0000-7000-8000-000000000001', reason: 'a ticket' };
const OWNERS = ['a', 'b'] as const;
const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
const CANCEL: JobWork = { kind: 'cancel', filter: { statuses: ['pending', 'gone'] } };
const REDELIVER: JobWork = { kind: 'redeliver', filter: { status: 'failed' } };

function opened(url: string, poolMax?: number): Database<unknown, OrderDefinition> {
  return openDatabase<OrderDefinition>({ url, definition: ORDERS, poolMax });
}

let proxy: PostgresProxy;
beforeAll(async () => {
  proxy = await startPostgresProxy(database.url);
  // Every delivery that is requested again leaves a line.
  await execute(
    database.url,
    `create table orders.requested (owner_id text, event_id uuid);
     create function orders.note() returns trigger language plpgsql as $$ begin
       insert into orders.requested values (new.owner_id, new.event_id); return new; end $$;
     create trigger note after update on webhook_deliveries for each row when (new.redelivery)
       execute function orders.note()`,
  );
});
afterAll(async () => {
  await database.current.close();
  await proxy.close();
});
beforeEach(() =>
  execute(
    database.url,
    `truncate orders, customers, changes, idempotency, feeds, operator_jobs, owner_audit, operator_audit,
       webhook_endpoints, webhook_queues, webhook_deliveries, requested`,
  ),
);

/** Returns a server of its own, with one connection. Its end is that of the test. */
async function aServer() {
  const server = opened(proxy.url, 1);
  onTestFinished(() => server.close());
  await server.ping();
  proxy.clear();
  return server;
}

/** Places orders of each owner, and stores a failed delivery of each. */
async function place(count: number): Promise<void> {
  const domain = createDomain(postgresStore(database.current));
  for (const owner of OWNERS) {
    const placed = Array.from({ length: count }, () => ({ order: { items: [ITEM] } }));
    for (const each of (await domain.placeOrders(owner, placed))._unsafeUnwrap()) each._unsafeUnwrap();
    await newNumbering(database.current).run(owner);
    await execute(
      database.url,
      `insert into webhook_deliveries
       select c.owner_id, '${endpointId(1)}', c.position, c.event_id, c.type, c.aggregate, c.aggregate_id, c.version, 'failed', 8,
         false, false, null, null, 8, c.occurred_at, 500, null, 1
       from changes as c where c.owner_id = '${owner}' on conflict do nothing`,
    );
  }
}

async function placeWithEndpoints(count: number): Promise<void> {
  for (const owner of OWNERS) await insertEndpoint(database.url, owner, endpointId(1));
  await place(count);
}

const jobs = () => postgresOperatorJobs(database.current);
/** Stores a job later than everything that is stored. */
const create = async (work: JobWork, dry_run = false) => {
  await new Promise((resolve) => setTimeout(resolve, 2));
  return (await jobs().create({ ...work, dry_run }, new Date().toISOString(), BY))._unsafeUnwrap();
};
const found = async (id: string) => (await jobs().get(id))._unsafeUnwrap();

/** Ends the leases of servers that were killed, as their time does. */
const expireLeases = () =>
  execute(
    database.url,
    `update operator_jobs set held_until = '-infinity'
     where id in (select id from operator_jobs for update skip locked)`,
  );

/** Returns how often a job has acted on each record, and on how many. */
async function acted({ kind }: JobWork): Promise<readonly number[]> {
  const rows = await execute<{ times: string }>(
    database.url,
    kind === 'cancel'
      ? `select count(*) as times from changes where type = 'order.cancelled' group by aggregate_id`
      : `select count(*) as times from requested group by owner_id, event_id`,
  );
  return rows.map(({ times }) => Number(times));
}

/** Whether a statement may change something. What a kill before a read leaves is what the write before it has left. */
const isWrite = ({ text }: Statement) => !/^\s*select [^"]/.test(text);

const ENDED = { status: 'done', matched: 2, taken: 2, failed: 0 };

/** Returns the number of statements of a job, and leaves as many records for the next one. */
async function stepsOf(work: JobWork): Promise<number> {
  await placeWithEndpoints(1);
  await create(work);
  await runJobs(await aServer());
  const steps = proxy.statements.filter(isWrite).length;
  expect(await acted(work)).toEqual([1, 1]);
  await place(1);
  return steps;
}

const KINDS = [
  ['cancels', CANCEL],
  ['redelivers', REDELIVER],
] as const;

describe.each(KINDS)('a job that %s', (_, work) => {
  it('counts first, waits after a dry run, and then acts once on each that is older', async () => {
    await placeWithEndpoints(3);
    const { id } = await create(work, true);
    await runJobs(database.current);
    expect(await found(id)).toMatchObject({ status: 'counted', matched: 6, taken: 0 });
    expect(await acted(work)).toEqual([]);
    await place(2);
    (await jobs().start(id, BY))._unsafeUnwrap();
    // A repeated start, as after a lost response, is none.
    (await jobs().start(id, BY))._unsafeUnwrap();
    await runJobs(database.current);
    expect(await found(id)).toMatchObject({ status: 'done', matched: 6, taken: 6, failed: 0 });
    expect(await acted(work)).toEqual([1, 1, 1, 1, 1, 1]);
    const log = (await postgresAudit(database.current).list({ owner: null, before: null, limit: 100 }))._unsafeUnwrap();
    expect(log.records.filter(({ subject }) => subject === id).map(({ action, reason }) => [action, reason])).toEqual([
      ['start_job', 'a ticket'],
      ['create_job', 'a ticket'],
    ]);
  });

  it.each(['cut_before', 'response_lost'] as const)(
    'acts once on each when its server is killed at any step (%s)',
    async (fault) => {
      const steps = await stepsOf(work);
      for (let step = 1; step <= steps; step += 1) {
        const { id } = await create(work);
        const server = await aServer();
        const armed = proxy.fault(step, fault, isWrite);
        const stop = new AbortController();
        await runJobs(server, { signal: stop.signal, onFailure: () => stop.abort() }).catch(() => undefined);
        expect(armed.statement).toBeDefined();
        // What the next job finds.
        await place(1);
        await expireLeases();
        await runJobs(database.current);
        expect([step, await found(id)]).toMatchObject([step, ENDED]);
        expect([step, await acted(work)]).toEqual([step, Array(2 * step + 2).fill(1)]);
      }
    },
  );

  it('acts once on each when another server takes it over at any step', async () => {
    const steps = await stepsOf(work);
    // Before the first one, no server has it.
    for (let step = 2; step <= steps; step += 1) {
      const { id } = await create(work);
      const server = await aServer();
      const running: Promise<void>[] = [];
      proxy.fault(
        step,
        async () => {
          await expireLeases();
          running.push(runJobs(database.current));
        },
        isWrite,
      );
      await runJobs(server);
      await Promise.all(running);
      await place(1);
      await expireLeases();
      await runJobs(database.current);
      expect([step, await found(id)]).toMatchObject([step, ENDED]);
      expect([step, await acted(work)]).toEqual([step, Array(2 * step).fill(1)]);
    }
  });

  it('leaves an owner out whose rows another transaction has locked, and says so', async () => {
    await placeWithEndpoints(1);
    const { id } = await create(work);
    const table = work.kind === 'cancel' ? 'orders' : 'webhook_deliveries';
    const release = await holding(database.url, `select from ${table} where owner_id = 'a' for update`);
    // On a busy machine another failure may end a run before, as a lost connection does. The next one goes on.
    await vi.waitFor(async () => {
      await runJobs(database.current);
      expect(await found(id)).toMatchObject({ status: 'done' });
    });
    await release();
    expect(await found(id)).toMatchObject({
      status: 'done',
      matched: 2,
      taken: 1,
      left_out: 1,
      left_out_owners: ['a'],
    });
    expect(await acted(work)).toEqual([1]);
  });

  it('is refused while a hundred are open', async () => {
    const statement = `insert into operator_jobs select gen_random_uuid(), kind, filter, status, dry_run, actor, reason,
      created_at, ended_at, progress, held_until, fence from operator_jobs, generate_series(1, 99)`;
    await create(REDELIVER);
    await execute(database.url, statement);
    const refused = await jobs().create({ ...REDELIVER, dry_run: true }, new Date().toISOString(), BY);
    expect(refused._unsafeUnwrapErr()).toMatchObject({ type: 'validation_failed', errors: [{ field: 'kind' }] });
    await execute(database.url, "update operator_jobs set status = 'done'");
    await create(REDELIVER, true);
  });

  it('ends when an operator cancels it', async () => {
    await placeWithEndpoints(1);
    const { id } = await create(work, true);
    (await jobs().cancel(id, new Date().toISOString(), BY))._unsafeUnwrap();
    await runJobs(database.current);
    expect((await jobs().start(id, BY))._unsafeUnwrap()).toMatchObject({ status: 'cancelled', matched: 0 });
    expect(await acted(work)).toEqual([]);
  });
});

describe('a job that redelivers', () => {
  it('sends what an endpoint has accepted between two times, and nothing else', async () => {
    await placeWithEndpoints(3);
    await execute(
      database.url,
      `update webhook_deliveries set status = 'delivered', delivered_at = timestamptz '2026-01-01Z' + position * interval '1 hour'
       where owner_id = 'a'`,
    );
    const [from, before] = ['2026-01-01T02:00:00.000Z', '2026-01-01T03:00:00.000Z'];
    await create({ kind: 'redeliver', filter: { status: 'delivered', from, before } });
    await runJobs(database.current);
    const sent = await execute(
      database.url,
      `select owner_id, position from webhook_deliveries where status = 'pending'`,
    );
    expect(sent).toEqual([{ owner_id: 'a', position: '2' }]);
  });
});

describe('a job that cancels', () => {
  it('acts on what a list with its filter has, also by its total', async () => {
    const domain = createDomain(postgresStore(database.current));
    const prices = [100, 300, 200, 300, 301].flatMap((amount) => [
      { amount, currency: 'EUR' },
      { amount, currency: 'USD' },
    ]);
    for (const [index, unit_price] of prices.entries()) {
      const order = {
        items: [{ ...ITEM, unit_price }],
        reference: `PO-${index}`,
        external_ids: { shop: [`${index}`] },
      };
      (await domain.placeOrder('a', order))._unsafeUnwrap();
    }
    const cancelled = async (filter: CancelFilter) => {
      await create({ kind: 'cancel', filter });
      await runJobs(database.current);
      const rows = await execute<{ reference: string }>(
        database.url,
        `update orders set status = 'pending' where status = 'cancelled' returning reference`,
      );
      return rows.map(({ reference }) => reference).toSorted();
    };
    expect(await cancelled({ currency: 'EUR', total_from: 200, total_to: 300 })).toEqual(['PO-2', 'PO-4', 'PO-6']);
    expect(await cancelled({ currency: 'USD', total_to: 100 })).toEqual(['PO-1']);
    expect(await cancelled({ reference: 'PO-3' })).toEqual(['PO-3']);
    expect(await cancelled({ lookup: 'external.shop:5' })).toEqual(['PO-5']);
    expect(await cancelled({ created_at_from: '2100-01-01T00:00:00.000Z' })).toEqual([]);
  });

  it('is the actor of each cancel, which is recorded, and reports those that it cannot cancel', async () => {
    await placeWithEndpoints(2);
    await execute(database.url, `update orders set status = 'cancelled' where owner_id = 'b'`);
    const { id } = await create({ kind: 'cancel', filter: {} }, true);
    await runJobs(database.current);
    (await jobs().start(id, BY))._unsafeUnwrap();
    // A key that another request has used.
    const [taken] = await execute<{ id: string }>(database.url, `select id from orders where owner_id = 'a' limit 1`);
    await insertKey(database.url, 'a', `job:${id}:${taken?.id}`, { id: taken?.id ?? '', version: 1 }, '2100-01-01');
    await runJobs(database.current);
    const errors = [{ owner: 'a', id: taken?.id, error: 'idempotency_key_reused' }];
    expect(await found(id)).toMatchObject({ status: 'done', matched: 2, taken: 2, failed: 1, errors });
    const made = await execute(database.url, `select actor from changes where type = 'order.cancelled'`);
    expect(made).toEqual([{ actor: BY.actor }]);
    const recorded = await execute(database.url, `select owner_id, action, reason from owner_audit`);
    expect(recorded).toEqual([{ owner_id: 'a', action: 'cancel_order', reason: 'a ticket' }]);
  });
});
