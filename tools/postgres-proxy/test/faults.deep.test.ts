import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aClient, aProxy } from './a-proxy.ts';

/** Starts a proxy, connects a client, and creates a table, which is dropped after the test. */
async function aProxiedTable() {
  const [direct, proxy] = [await aClient(), await aProxy()];
  const client = await aClient(proxy.url);
  const name = `faults_${randomBytes(6).toString('hex')}`;
  await direct.query(`create table ${name} (n int)`);
  onTestFinished(async () => void (await direct.query(`drop table ${name}`)));
  const table = {
    add: (by: Client, n: number) => by.query(`insert into ${name} values ($1)`, [n]),
    adding: (n: number) => `insert into ${name} values (${n})`,
    numbers: async () => (await direct.query<{ n: number }>(`select n from ${name} order by n`)).rows.map(({ n }) => n),
    lock: async (by: Client) => {
      await by.query('begin');
      await by.query(`lock table ${name}`);
    },
  };
  return { table, proxy, client };
}

describe('a fault', () => {
  it('cuts the connection before the statement reaches PostgreSQL', async () => {
    const { table, proxy, client } = await aProxiedTable();
    const armed = proxy.fault(2, 'cut_before');
    await table.add(client, 1);
    expect(armed.statement).toBeUndefined();
    await expect(table.add(client, 2)).rejects.toThrow('Connection terminated unexpectedly');
    expect(armed.statement).toMatchObject({ connection: 1, parameters: ['2'] });
    await table.add(await aClient(proxy.url), 3);
    expect(await table.numbers()).toEqual([1, 3]);
  });

  it("ends the backend with PostgreSQL's message, without an effect of the statement", async () => {
    const { table, proxy, client } = await aProxiedTable();
    proxy.fault(2, 'terminated');
    await client.query('begin');
    await expect(table.add(client, 1)).rejects.toMatchObject({ code: '57P01' });
    await table.add(await aClient(proxy.url), 2);
    expect(await table.numbers()).toEqual([2]);
  });

  it('ends the connection with its backend', async () => {
    const { table, proxy, client } = await aProxiedTable();
    const ended = new Promise((resolve) => {
      client.once('end', resolve);
    });
    proxy.fault(1, 'killed');
    await expect(table.add(client, 1)).rejects.toMatchObject({ code: '57P01' });
    await ended;
    await expect(table.add(client, 1)).rejects.toThrow('not queryable');
    expect(await table.numbers()).toEqual([]);
  });

  it('loses the response of an executed statement, and none before', async () => {
    const { table, proxy, client } = await aProxiedTable();
    proxy.fault(2, 'response_lost');
    await table.add(client, 1);
    await expect(table.add(client, 2)).rejects.toThrow('Connection terminated unexpectedly');
    expect(await table.numbers()).toEqual([1, 2]);
  });

  it('loses a response in several packets after PostgreSQL has sent all of it', async () => {
    const { table, proxy, client } = await aProxiedTable();
    proxy.fault(1, 'response_lost');
    const pieces = `${table.adding(1)}; select repeat('x', 1000) from generate_series(1, 20000); ${table.adding(2)}`;
    await expect(client.query(pieces)).rejects.toThrow('Connection terminated unexpectedly');
    expect(await table.numbers()).toEqual([1, 2]);
  });

  it('loses no earlier response that is still on its way', async () => {
    const { table, proxy } = await aProxiedTable();
    const client = await aClient(proxy.url, { pipeline: true });
    proxy.fault(2, 'response_lost');
    const results = await Promise.allSettled([table.add(client, 1), table.add(client, 2)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await table.numbers()).toEqual([1, 2]);
  });

  it('runs a function of the test before the statement takes any lock', async () => {
    const { table, proxy, client } = await aProxiedTable();
    const other = await aClient();
    proxy.fault(1, async ({ parameters }) => {
      await table.lock(other);
      await table.add(other, Number(parameters[0]) * 10);
      await other.query('commit');
    });
    await table.add(client, 1);
    expect(await table.numbers()).toEqual([1, 10]);
  });

  it('counts some statements over all connections, and is discarded when the proxy is cleared', async () => {
    const { table, proxy } = await aProxiedTable();
    const [first, second] = [await aClient(proxy.url), await aClient(proxy.url)];
    proxy.fault(3, 'cut_before');
    await table.add(first, 1);
    await table.add(second, 2);
    proxy.clear();
    expect(proxy.statements).toEqual([]);
    proxy.fault(1, 'cut_before', ({ parameters }) => Number(parameters[0]) > 3);
    await table.add(first, 3);
    await expect(table.add(second, 4)).rejects.toThrow('Connection terminated unexpectedly');
    expect(await table.numbers()).toEqual([1, 2, 3]);
  });
});

/** Whether `work` is unsettled after everything sent earlier got its response over another connection. */
async function isSilent(work: Promise<unknown>): Promise<boolean> {
  const settled = work.then(
    () => false,
    () => false,
  );
  const other = await aClient();
  const otherResponses = (async () => {
    for (let round = 0; round < 20; round += 1) await other.query('select pg_sleep(0.005)');
    return true;
  })();
  return await Promise.race([settled, otherResponses]);
}

describe('a silent fault', () => {
  it('swallows a statement and everything after it, without an end of the connection', async () => {
    const { table, proxy, client } = await aProxiedTable();
    proxy.fault(2, 'swallowed');
    await table.add(client, 1);
    const swallowed = table.add(client, 2);
    swallowed.catch(() => undefined); // This cancels the wait at the end of the test.
    expect(await isSilent(swallowed)).toBe(true);
    await table.add(await aClient(proxy.url), 3);
    expect(await table.numbers()).toEqual([1, 3]);
  });

  it('swallows the response of an executed statement', async () => {
    const { table, proxy, client } = await aProxiedTable();
    proxy.fault(2, 'response_swallowed');
    await table.add(client, 1);
    const swallowed = table.add(client, 2);
    swallowed.catch(() => undefined); // This cancels the wait at the end of the test.
    expect(await isSilent(swallowed)).toBe(true);
    expect(await table.numbers()).toEqual([1, 2]);
  });
});
