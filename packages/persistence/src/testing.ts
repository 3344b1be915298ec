import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Domain, type NewOrder, orThrow } from '@orders/domain';
import type { Database } from './database/database.ts';
import type { HostClient, HostEntityManager, HostExecutor } from './transaction/host.ts';

/** The functions of a test runner, such as vitest, node:test, Jest or Mocha. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/** Executes a statement without parameters, and returns its rows. */
export type Query = (text: string) => PromiseLike<readonly object[]>;

/** A library whose transactions are joined. */
export interface HostSubject {
  /** The database of orders, whose tables exist. */
  readonly database: Pick<Database, 'joinTransaction' | 'schema'>;
  /**
   * Runs `work` in a transaction of the library, on a connection of a pool. Commits it, or rolls it back and throws when `work`
   * throws. `query` executes statements of the host inside it.
   */
  transaction(
    work: (host: HostEntityManager | HostClient | HostExecutor, query: Query) => Promise<void>,
  ): Promise<unknown>;
  /** Executes a statement on a connection that the library does not use, as a superuser or the same role. */
  readonly query: Query;
}

/** Options of {@link hostTransactionContract}. */
export interface HostContractOptions {
  /** The number of transactions whose session is ended at a random moment. Default: 25. */
  readonly kills?: number | undefined;
  /** The number of transactions that roll back before their use case has ended. Default: 100. */
  readonly outlived?: number | undefined;
}

const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 650, currency: 'EUR' } };

/** The table of the host, which the contract creates. */
const TABLE = 'create table if not exists public.host_orders (order_id uuid primary key)';

/**
 * Registers with `runner` every test that a library must pass whose transactions are joined: what it commits has both an order
 * and a row of the host, or none of them. Each test calls `open` once, and uses owners of its own.
 */
export function hostTransactionContract(
  { describe, it }: TestRunner,
  open: () => Promise<HostSubject> | HostSubject,
  { kills = 25, outlived = 100 }: HostContractOptions = {},
): void {
  describe('a joined transaction', () => {
    it('commits an order with a row of the host, and reads its own writes', async () => {
      const { owner, place, stored, inTransaction } = await aHost(open);
      await inTransaction(async (domain, query) => {
        const order = await place(domain, query, { note: `100 % 'o' \\ $1 %1$L "ü" 🎁`, metadata: { a: '1' } });
        assert.deepEqual(await orThrow(domain.getOrder(owner, order.id)), order);
        const { data } = await orThrow(domain.listOrders(owner, { ids: [order.id] }));
        assert.deepEqual(data, [order]);
      });
      assert.deepEqual(await stored(), { orders: 1, rows: 1 });
    });

    it('rolls back an order with a row of the host', async () => {
      const { place, stored, inTransaction } = await aHost(open);
      const failing = inTransaction(async (domain, query) => {
        await place(domain, query);
        throw new Error('of the host');
      });
      await assert.rejects(async () => await failing, /of the host/);
      assert.deepEqual(await stored(), { orders: 0, rows: 0 });
    });

    it('is usable after a rejected write', async () => {
      const { owner, place, stored, inTransaction } = await aHost(open);
      await inTransaction(async (domain, query) => {
        const { id } = await place(domain, query, { reference: 'R-1' });
        const taken = await domain.placeOrder(owner, { items: [ITEM], reference: 'R-1' });
        assert.deepEqual(taken.isErr() && taken.error, { type: 'reference_taken', order_id: id });
        await place(domain, query);
      });
      assert.deepEqual(await stored(), { orders: 2, rows: 2 });
    });

    it('stores nothing after a failed statement of the host', async () => {
      const { place, stored, inTransaction } = await aHost(open);
      const failing = inTransaction(async (domain, query) => {
        const { id } = await place(domain, query);
        await query(`insert into public.host_orders values ('${id}')`);
      });
      await assert.rejects(async () => await failing);
      assert.deepEqual(await stored(), { orders: 0, rows: 0 });
    });

    it('stores nothing when a use case waits too long for a lock, although the host commits', async () => {
      const { owner, place, stored, inTransaction, lockOrders, isLocking } = await aHost(open);
      await inTransaction(async (domain, query) => void (await place(domain, query)));
      const holding = lockOrders(2);
      while (!(await isLocking())) await sleep(10);
      const waiting = inTransaction(async (domain, query) => {
        await query('set local lock_timeout = 50');
        await place(domain, query);
        const { data } = await orThrow(domain.listOrders(owner, { sort: 'created_at' }));
        const cancelled = await domain.cancelOrder(owner, String(data[0]?.id));
        assert.equal(cancelled.isErr() && cancelled.error.type, 'unavailable', 'pass on the SQLSTATE by sqlState');
      });
      // Some libraries notice that the COMMIT has rolled back.
      await Promise.allSettled([waiting]);
      await holding;
      assert.deepEqual(await stored(), { orders: 1, rows: 1 });
    });

    it('does not let a use case that outlives it store anything, or fail what follows', async () => {
      const { owner, place, stored, inTransaction } = await aHost(open);
      const late: PromiseLike<unknown>[] = [];
      for (let run = 0; run < outlived; run += 1) {
        const abandoned = inTransaction(async (domain) => {
          const placing = domain.placeOrder(owner, { items: [ITEM] });
          late.push(placing.then(String, String));
          await Promise.all([placing, failAfter(run % 40)]);
        });
        await assert.rejects(async () => await abandoned, /of a sibling/);
        if (run % 10 === 0) await inTransaction(async (domain, query) => void (await place(domain, query)));
      }
      await Promise.all(late);
      const followed = Math.ceil(outlived / 10);
      assert.deepEqual(await stored(), { orders: followed, rows: followed });
    });

    it('stores both or none when its session is ended at any moment', async () => {
      const { place, stored, inTransaction, end } = await aHost(open);
      let committed = 0;
      for (let kill = 0; kill < kills; kill += 1) {
        const ends: Promise<void>[] = [];
        const running = inTransaction(async (domain, query) => {
          ends.push(end(query, Math.random() * 20).catch(() => undefined));
          await sleep(Math.random() * 10);
          await place(domain, query);
          await place(domain, query);
        });
        const [{ status }] = await Promise.allSettled([running]);
        if (status === 'fulfilled') committed += 2;
        await Promise.all(ends);
        const { orders, rows } = await stored();
        assert.equal(orders, rows, 'one without the other');
        assert.ok(orders >= committed, 'what was committed is not stored');
        committed = orders;
      }
    });
  });
}

type Details = Pick<NewOrder, 'note' | 'metadata' | 'reference'>;

/** Opens the host for an owner of its own. */
async function aHost(open: () => Promise<HostSubject> | HostSubject) {
  const subject = await open();
  await subject.query(TABLE);
  const owner = `host-${randomUUID()}`;
  const orders = `"${subject.database.schema}".orders`;
  type Work = (domain: Domain, query: Query) => Promise<void>;
  return {
    owner,
    /** Places an order, and adds a row of the host for it. */
    place: async (domain: Domain, query: Query, more: Details = {}) => {
      const { order } = await orThrow(domain.placeOrder(owner, { items: [ITEM], ...more }));
      await query(`insert into public.host_orders values ('${order.id}')`);
      return order;
    },
    inTransaction: (work: Work) =>
      subject.transaction(async (host, query) => work((await subject.database.joinTransaction(host)).domain, query)),
    /** Returns the number of orders of the owner, and of those with a row of the host. */
    stored: async () => {
      const [row] = await subject.query(
        `select count(*)::int as orders, count(h.order_id)::int as rows from ${orders} as o
         left join public.host_orders as h on h.order_id = o.id where o.owner_id = '${owner}'`,
      );
      assert.ok(row && 'orders' in row && 'rows' in row);
      return { orders: Number(row.orders), rows: Number(row.rows) };
    },
    /** Locks the orders of the owner for some seconds, in one statement. */
    lockOrders: async (seconds: number) => {
      const locked = `select id from ${orders} where owner_id = '${owner}' for update`;
      await subject.query(`with l as materialized (${locked}) select pg_sleep(${seconds})::text from l`);
    },
    isLocking: async () => {
      const waits = `select from pg_stat_activity where wait_event = 'PgSleep' and query like '%${owner}%'`;
      return (await subject.query(`select exists (${waits})::int as locking where exists (${waits})`)).length > 0;
    },
    /** Ends the session of a transaction after a time. */
    end: async (query: Query, ms: number) => {
      const [row] = await query('select pg_backend_pid() as pid');
      await sleep(ms);
      await subject.query(`select pg_terminate_backend(${Number(row && 'pid' in row && row.pid)})::text`);
    },
  };
}

/** Fails after so many turns of the event loop. */
async function failAfter(turns: number): Promise<never> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
  throw new Error('of a sibling');
}
