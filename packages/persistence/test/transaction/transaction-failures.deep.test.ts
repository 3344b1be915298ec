import { fixedClock } from '@orders/domain/testing';
import { openDatabase } from '@orders/persistence';
import { ok } from 'neverthrow';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { aHost, ITEM, RETRYABLE } from './a-host.ts';
import { createPickUps, hostOrm } from './host-tables.ts';
import { watchedServer } from '../fixtures/watched-server.ts';
import { untilFinished } from '../fixtures/sessions.ts';

const tested = testDatabase();
const { open, place, count } = aHost(tested);

beforeAll(() => createPickUps(tested.url));

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
      `create table public.deferred (id int primary key, next int references public.deferred deferrable initially deferred)`,
    );
    const database = open({ poolMax: 1 });
    const work = database.transaction(async ({ domain, client: inside }) => {
      await domain.placeOrder('deferred', { items: [ITEM] });
      await inside.query('insert into public.deferred values (1, 2)');
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
          await inside.query('select from orders.orders where id = $1 for update', [id]);
          await bothLocked();
          return await domain.cancelOrder('deadlock', other);
        },
        { owner: 'first' },
      ),
      database.transaction(
        async ({ client: inside, domain }) => {
          await domain.cancelOrder('deadlock', other);
          await bothLocked();
          await inside.query('select from orders.orders where id = $1 for update', [id]);
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
    const database = open({ statementTimeoutMs: 2000, warn: lost });
    const pausing = database.transaction(async ({ domain }) => {
      await domain.placeOrder('pausing', { items: [ITEM] });
      await vi.waitFor(() => expect(lost).toHaveBeenCalled());
      return await domain.placeOrder('pausing', { items: [ITEM] });
    });
    expect((await pausing)._unsafeUnwrapErr()).toMatchObject(RETRYABLE);
    const ignoring = database.transaction(async ({ domain }) => {
      lost.mockClear();
      await domain.placeOrder('pausing', { items: [ITEM] });
      await vi.waitFor(() => expect(lost).toHaveBeenCalled());
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

  it('has an unknown outcome, and must not be retried, when the response to its COMMIT is lost', async () => {
    const { proxy, server } = await watchedServer(tested.url, { poolMax: 1 });
    proxy.fault(1, 'response_lost', ({ text }) => text.endsWith('commit'));
    const result = await server.transaction(({ domain }) => domain.placeOrder('lost', { items: [ITEM] }));
    expect(result._unsafeUnwrapErr()).toMatchObject({ ...RETRYABLE, outcome: 'unknown', retryable: false });
    expect(await count('lost')).toBe(1);
  });

  it('rejects an EntityManager whose session context would not be applied', async () => {
    const orm = hostOrm(tested.url);
    const em = orm.em.fork();
    em.setSessionContext({ variables: { 'app.tenant': 'a' } });
    const database = untilFinished(openDatabase({ url: tested.url, orm: { em } }));
    await expect(database.transaction(() => Promise.resolve(ok('done')))).rejects.toThrow('session context');
  });

  it('runs inside a transaction of the same MikroORM without taking part in it', async () => {
    const orm = hostOrm(tested.url);
    const database = untilFinished(openDatabase({ orm }));
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
