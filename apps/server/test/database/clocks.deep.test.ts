import { openDatabase } from '@orders/persistence';
import { pino } from 'pino';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startJobs } from '../../src/jobs/job.ts';
import { purgeRepeatedly } from '../../src/jobs/purge.ts';
import { readConfig } from '../../src/config/config.ts';
import { aReceiver } from '../programs/a-receiver.ts';
import { clockAhead } from '../programs/clock-ahead.ts';
import { run } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const ITEM = { sku: 'CUP-1', name: 'Cup', quantity: 1, unit_price: { amount: 900, currency: 'EUR' } };
const KEYS = { WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'clock').toString('base64') };
const DAY_MS = 24 * 60 * 60 * 1000;
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;

afterEach(() => {
  vi.useRealTimers();
});

describe('a server whose clock differs from that of its database', () => {
  it('does not start when it is more than a minute ahead or behind, and reports both times', async () => {
    const { url, execute } = await aDatabase();
    await execute(`delete from orders.schema_migrations where name like 'functions%'`);
    for (const aheadMs of [-DAY_MS, 90_000]) {
      const env = { PORT: '0', DATABASE_URL: url, ...clockAhead(aheadMs) };
      const { code, stdout, stderr } = await run('main.ts', env).finished;
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        new RegExp(
          `^orders: DATABASE_URL: the database \\S+: the clock of this server reads ${TIME}, ` +
            `that of the database ${TIME}: they may differ by at most 60 s; .*\n$`,
        ),
      );
    }
    expect(await execute('select name from orders.schema_migrations')).toEqual([{ name: '0001-baseline' }]);
  });

  it('starts when it is half a minute ahead or behind', async () => {
    const database = await aDatabase();
    for (const aheadMs of [30_000, -30_000]) {
      const server = await startServerOn(database, clockAhead(aheadMs));
      expect((await server.request('/v1/orders')).status).toBe(200);
    }
  });

  it.each([600_000, -600_000])(
    'is not ready when it jumps later, by %d ms, says so once, and signs with the time of the database',
    async (aheadMs) => {
      const [database, receiver] = [await aDatabase(), await aReceiver()];
      const env = { ...clockAhead(aheadMs, 'SIGUSR2'), WEBHOOK_ALLOW_CIDRS: '127.0.0.1', ...KEYS };
      const server = await startServerOn(database, env);
      const readiness = async () => (await fetch(`${server.url}/readyz`)).status;
      const post = async (path: string, body: object) => {
        const headers = { 'content-type': 'application/json' };
        expect((await server.request(path, { method: 'POST', body: JSON.stringify(body), headers })).status).toBe(201);
      };
      await expect.poll(readiness).toBe(200);
      await post('/v1/webhook_endpoints', { url: receiver.url });
      server.process.kill('SIGUSR2');
      await expect.poll(readiness).toBe(503);
      for (let count = 1; count <= 10; count += 1) {
        await post('/v1/orders', { items: [ITEM] });
        await vi.waitUntil(() => receiver.received.length === count);
      }
      const differences = receiver.received.map(
        ({ headers }) => Date.now() / 1000 - Number(headers['webhook-timestamp']),
      );
      expect(Math.max(...differences.map(Math.abs))).toBeLessThan(Math.abs(aheadMs) / 2000);
      server.process.kill('SIGUSR2');
      await expect.poll(readiness).toBe(200);
      const lines = () =>
        server
          .output()
          .split('\n')
          .filter((line) => /"(reason|after)":"clock"/.test(line));
      const messages = () => lines().map((line) => /"msg":"([^"]*)"/.exec(line)?.[1]);
      await expect.poll(messages).toEqual(['not ready', 'ready again']);
    },
  );

  it('purges nothing and warns when its clock goes wrong later', async () => {
    const { url, execute } = await aDatabase();
    await execute(
      `insert into orders.idempotency values ('o', 'old', 'f', 'order', gen_random_uuid(), 1, now() - interval '1 day')`,
    );
    const database = openDatabase({ url });
    onTestFinished(() => database.close());
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => lines.push(line) });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS });
    const stop = startJobs([purgeRepeatedly({ database, log }, readConfig({}))], log);
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    await stop();
    expect(lines[0]).toMatch(/"level":40,.*"msg":"purge skipped: the clock of this server reads /);
    expect(await execute('select key from orders.idempotency')).toEqual([{ key: 'old' }]);
  });
});
