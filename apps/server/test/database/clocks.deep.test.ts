import { openDatabase } from '@orders/persistence';
import { pino } from 'pino';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { purgeInBackground } from '../../src/background/background-purge.ts';
import { readConfig } from '../../src/config/config.ts';
import { clockAhead } from '../programs/clock-ahead.ts';
import { run } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

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
          `^orders cannot continue:\n  DATABASE_URL: the database \\S+: the clock of this server reads ${TIME}, ` +
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
    const stop = purgeInBackground(database, readConfig({}), log);
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    await stop();
    expect(lines[0]).toMatch(/"level":40,.*"msg":"purge skipped: the clock of this server reads /);
    expect(await execute('select key from orders.idempotency')).toEqual([{ key: 'old' }]);
  });
});
