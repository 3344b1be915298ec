import { createDomain } from '@orders/domain';
import { fixedClock } from '@orders/domain/testing';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { type Database, openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { err, ok } from 'neverthrow';
import { Client, Pool } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { anotherSession } from '../fault-injection/another-session.ts';
import { execute } from '../execute.ts';
import { testDatabase } from '../test-database.ts';
import { createPickUps, hostOrm } from './host-tables.ts';

const tested = testDatabase();
const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
const RETRYABLE = { type: 'transaction_failed', outcome: 'rolled_back', retryable: true };

beforeAll(() => createPickUps(tested.url));

function open(options: Partial<Parameters<typeof openDatabase>[0]> = {}): Database {
  const database = openDatabase({ url: tested.url, poolMax: 2, ...options });
  onTestFinished(() => database.close());
  return database;
}

function outside() {
  const orders = postgresOrderRepository(tested.current);
  const customers = postgresCustomerRepository(tested.current);
  return createDomain({ orders, customers, clock: systemClock, ids: uuidv7Ids() });
}

const place = async (owner: string, reference?: string) =>
  (await outside().placeOrder(owner, { items: [ITEM], reference }))._unsafeUnwrap().order.id;
const count = async (owner: string) => (await outside().listOrders(owner))._unsafeUnwrap().data.length;
const insertPickUp = (shelf: string) => `insert into pick_ups values (gen_random_uuid(), now(), '${shelf}')`;
const pickUps = async (shelf: string) =>
  (await execute(tested.url, `select from pick_ups where shelf = '${shelf}'`)).length;

async function client(url = tested.url, limits: { query_timeout?: number } = {}): Promise<Client> {
  const connected = new Client({ connectionString: url, ...limits });
  connected.on('error', () => undefined);
  await connected.connect();
  onTestFinished(() => connected.end());
  return connected;
}

async function proxied() {
  const proxy = await startPostgresProxy(tested.url);
  onTestFinished(() => proxy.close());
  return proxy;
}

describe('the work of a transaction', () => {
  it('throws the error of another system, although it looks like one of the database', async () => {
    const reason = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const work = open().transaction(async ({ domain }) => {
      await domain.placeOrder('other', { items: [ITEM] });
      return await Promise.reject(reason);
    });
    await expect(work).rejects.toBe(reason);
    expect(await count('other')).toBe(0);
  });

  it.each(['commit', 'rollback'])('cannot end it by the statement %s', async (statement) => {
    const database = open();
    const ended = 'a statement ended the transaction';
    const caught = database.transaction(async ({ client: inside }) => {
      await expect(inside.query(statement)).rejects.toThrow(ended);
      return ok('done');
    });
    await expect(caught).rejects.toThrow(ended);
    await expect(database.transaction(({ client: inside }) => inside.query(statement).then(ok))).rejects.toThrow(ended);
    expect(await database.transaction(async ({ domain }) => domain.listOrders('unknown'))).toMatchObject({
      value: { data: [] },
    });
  });

  it('throws a constraint that is violated at COMMIT, and stores nothing', async () => {
    await execute(
      tested.url,
      `create table deferred (id int primary key, next int references deferred deferrable initially deferred)`,
    );
    const database = open({ poolMax: 1 });
    const work = database.transaction(async ({ domain, client: inside }) => {
      await domain.placeOrder('deferred', { items: [ITEM] });
      await inside.query('insert into deferred values (1, 2)');
      return ok('done');
    });
    await expect(work).rejects.toMatchObject({ code: '23503' });
    expect(await count('deferred')).toBe(0);
    expect(await database.transaction(({ domain }) => domain.placeOrder('deferred', { items: [ITEM] }))).toMatchObject({
      value: { replayed: false },
    });
  });

  it('reports the failure of a statement of the host that a retry may solve', async () => {
    const id = await place('deadlock');
    const other = await place('deadlock');
    const database = open();
    const results = await Promise.all([
      database.transaction(
        async ({ domain, client: inside }) => {
          await inside.query('select from orders where id = $1 for update', [id]);
          await bothLocked();
          return await domain.cancelOrder('deadlock', other);
        },
        { owner: 'first' },
      ),
      database.transaction(
        async ({ client: inside, domain }) => {
          await domain.cancelOrder('deadlock', other);
          await bothLocked();
          await inside.query('select from orders where id = $1 for update', [id]);
          return ok('done');
        },
        { owner: 'second' },
      ),
    ]);
    const failed = results.filter((result) => result.isErr());
    expect(failed).toHaveLength(1);
    const [error] = failed.map((result) => result._unsafeUnwrapErr());
    expect(error).toMatchObject(RETRYABLE);
    const retried = await database.transaction(({ domain }) => domain.getOrder('deadlock', id));
    expect(retried.isOk()).toBe(true);
  });

  it('may be retried when PostgreSQL ended it because it paused for too long', async () => {
    const lost = vi.fn<(message: string) => void>();
    const database = open({ statementTimeoutMs: 300, warn: lost });
    const pausing = database.transaction(async ({ domain }) => {
      await domain.placeOrder('pausing', { items: [ITEM] });
      await vi.waitFor(() => expect(lost).toHaveBeenCalled(), 10_000);
      return await domain.placeOrder('pausing', { items: [ITEM] });
    });
    expect((await pausing)._unsafeUnwrapErr()).toMatchObject(RETRYABLE);
    const ignoring = database.transaction(async ({ domain }) => {
      lost.mockClear();
      await domain.placeOrder('pausing', { items: [ITEM] });
      await vi.waitFor(() => expect(lost).toHaveBeenCalled(), 10_000);
      return ok('done');
    });
    expect((await ignoring)._unsafeUnwrapErr()).toMatchObject(RETRYABLE);
    expect(await count('pausing')).toBe(0);
  });

  it('replays the key of a concurrent transaction, and replaces an expired one', async () => {
    const clock = fixedClock('2026-01-02T03:04:05.678Z');
    const database = open({ clock });
    const attempt = (owner: string) =>
      database.transaction(({ domain }) => domain.placeOrder('same', { items: [ITEM] }, { idempotencyKey: 'k' }), {
        owner,
      });
    const placed = (await Promise.all([attempt('a'), attempt('b')])).map((result) => result._unsafeUnwrap());
    expect(placed.filter(({ replayed }) => replayed)).toHaveLength(1);
    expect(placed[0]?.order).toEqual(placed[1]?.order);
    clock.advance(25 * 3_600_000);
    await execute(tested.url, `update idempotency set expires_at = '2026-01-03T00:00:00Z' where owner_id = 'same'`);
    const again = (await Promise.all([attempt('a'), attempt('b')])).map((result) => result._unsafeUnwrap());
    expect(again.filter(({ replayed }) => replayed)).toHaveLength(1);
    expect(await count('same')).toBe(2);
  });

  it('rejects an EntityManager whose session context would not be applied', async () => {
    const orm = hostOrm(tested.url);
    const em = orm.em.fork();
    em.setSessionContext({ variables: { 'app.tenant': 'a' } });
    const database = openDatabase({ url: tested.url, orm: { em } });
    onTestFinished(() => database.close());
    await expect(database.transaction(() => Promise.resolve(ok('done')))).rejects.toThrow('session context');
  });

  it('runs inside a transaction of the same MikroORM without taking part in it', async () => {
    const orm = hostOrm(tested.url);
    const database = openDatabase({ orm });
    onTestFinished(() => database.close());
    const outer = orm.em.transactional(async (em) => {
      (await database.transaction(({ domain }) => domain.placeOrder('apart', { items: [ITEM] })))._unsafeUnwrap();
      // The global EntityManager is the one of the context.
      const { domain } = await database.joinTransaction(orm.em);
      (await domain.placeOrder('inside', { items: [ITEM] }))._unsafeUnwrap();
      await em.flush();
      throw new Error('undone');
    });
    await expect(outer).rejects.toThrow('undone');
    expect([await count('apart'), await count('inside')]).toEqual([1, 0]);
  });
});

describe('a write of a transaction', () => {
  it('throws the violation of a constraint that the host has added', async () => {
    await execute(
      tested.url,
      `create table labels (owner_id text collate "C", order_id uuid,
         constraint labels_order foreign key (owner_id, order_id) references orders (owner_id, id))`,
    );
    const id = await place('labelled');
    await execute(tested.url, `insert into labels values ('labelled', '${id}')`);
    const violated = { code: '23503', constraint: 'labels_order' };
    await expect(outside().deleteOrder('labelled', id)).rejects.toMatchObject(violated);
    const result = await open().transaction(async ({ domain, client: inside }) => {
      await expect(domain.deleteOrder('labelled', id)).rejects.toMatchObject(violated);
      await inside.query('delete from labels where order_id = $1', [id]);
      return await domain.deleteOrder('labelled', id);
    });
    expect(result.isOk()).toBe(true);
    await execute(tested.url, 'drop table labels');
  });

  /** Prepares a conflict: the holder of the reference releases it after the violation, before it is looked up. */
  async function conflict(owner: string) {
    const proxy = await proxied();
    const holder = await place(owner, 'R-1');
    const database = open({ url: proxy.url, poolMax: 1 });
    await database.ping();
    const release = async () => {
      (await outside().changeOrder(owner, holder, { reference: 'R-2' }))._unsafeUnwrap();
    };
    const isLookup = ({ text }: { text: string }) => /select.*from orders/is.test(text) && text.includes('reference');
    proxy.fault(1, release, isLookup);
    return { database, proxy };
  }

  it('stores nothing after a conflict, although the work ignores it', async () => {
    const owner = 'own conflict';
    const { database } = await conflict(owner);
    const result = await database.transaction(async ({ domain, client: inside }) => {
      await inside.query(insertPickUp(owner));
      const placed = await domain.placeOrder(owner, { items: [ITEM], reference: 'R-1' });
      expect(placed._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause: RETRYABLE });
      return ok('although it conflicted');
    });
    expect(result._unsafeUnwrapErr()).toMatchObject(RETRYABLE);
    expect([await count(owner), await pickUps(owner)]).toEqual([1, 0]);
  });

  it('stores nothing after a conflict, although the host commits', async () => {
    const owner = 'joined conflict';
    const { database, proxy } = await conflict(owner);
    const host = await client(proxy.url);
    await host.query('begin');
    const { domain } = await database.joinTransaction(host);
    await host.query(insertPickUp(owner));
    const placed = await domain.placeOrder(owner, { items: [ITEM], reference: 'R-1' });
    expect(placed._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause: RETRYABLE });
    expect(await host.query('commit')).toMatchObject({ command: 'ROLLBACK' });
    expect([await count(owner), await pickUps(owner)]).toEqual([1, 0]);
  });

  it('stores nothing when its response is late and the host commits', async () => {
    const id = await place('late');
    const holder = await anotherSession(tested.url);
    await holder.query('begin');
    await holder.query('select from orders where id = $1 for update', [id]);
    const host = await client(tested.url, { query_timeout: 500 });
    await host.query('begin');
    await host.query(insertPickUp('late'));
    const { domain } = await tested.current.joinTransaction(host);
    expect((await domain.cancelOrder('late', id))._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
    const committed = host.query('commit');
    await holder.query('rollback');
    expect(await committed).toMatchObject({ command: 'ROLLBACK' });
    expect(await pickUps('late')).toBe(0);
    expect((await outside().getOrder('late', id))._unsafeUnwrap().status).toBe('pending');
  });
});

describe('a transaction over a pool of the host', () => {
  it('survives the loss of its connection between two statements', async () => {
    const pool = new Pool({ connectionString: tested.url, max: 1 });
    pool.on('error', () => undefined);
    onTestFinished(() => pool.end());
    const database = openDatabase({ pool });
    const lose = () =>
      database.transaction(async ({ domain, client: inside }) => {
        const { rows } = await inside.query<{ pid: number }>('select pg_backend_pid() as pid');
        const pid = rows[0]?.pid ?? 0;
        await execute(tested.url, `select pg_terminate_backend(${pid})`);
        await vi.waitFor(async () =>
          expect(await execute(tested.url, `select from pg_stat_activity where pid = ${pid}`)).toHaveLength(0),
        );
        await execute(tested.url, 'select 1');
        return await domain.placeOrder('pool', { items: [ITEM] });
      });
    expect((await lose())._unsafeUnwrapErr()).toMatchObject(RETRYABLE);
    expect((await database.transaction(({ domain }) => domain.placeOrder('pool', { items: [ITEM] }))).isOk()).toBe(
      true,
    );
    expect(pool).toMatchObject({ totalCount: 1, idleCount: 1, waitingCount: 0 });
    // The listeners of our use are removed with it.
    const taken = await pool.connect();
    expect(taken.listenerCount('error')).toBe(0);
    taken.release();
  });

  it('commits when the pool is ended meanwhile, and must not be retried after that', async () => {
    const pool = new Pool({ connectionString: tested.url, max: 2 });
    const database = openDatabase({ pool });
    let ended: Promise<void> | undefined;
    const result = await database.transaction(async ({ domain }) => {
      ended = pool.end();
      return await domain.placeOrder('ended', { items: [ITEM] });
    });
    expect(result.isOk()).toBe(true);
    await ended;
    const later = await database.transaction(({ domain }) => domain.placeOrder('ended', { items: [ITEM] }));
    expect(later).toEqual(err(expect.objectContaining({ ...RETRYABLE, retryable: false })));
    expect(await count('ended')).toBe(1);
  });
});

// Both transactions have their first lock when the second arrives.
let arrived: (() => void) | undefined;
function bothLocked(): Promise<void> {
  return new Promise((resolve) => {
    if (arrived) {
      arrived();
      resolve();
    } else arrived = resolve;
  });
}
