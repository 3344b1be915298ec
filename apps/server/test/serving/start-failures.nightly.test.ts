import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenAnywhere } from '../programs/ports.ts';
import { aDataDir, run } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

const SECRET = 'hunter2';

/** Returns the line that a server prints when it cannot start. */
async function reasonFor(environment: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await run('main.ts', { PORT: '0', ...environment }).finished;
  expect(code).toBe(1);
  expect(stdout).not.toContain(SECRET);
  const [, reason] = /^orders: (.*)\n$/.exec(stderr) ?? [];
  return reason ?? stderr;
}

describe('a server that cannot start prints in one line', () => {
  it('that its database cannot be reached, without the password', async () => {
    expect(await reasonFor({ DATABASE_URL: `postgresql://orders:${SECRET}@127.0.0.1:1/orders` })).toBe(
      'cannot use DATABASE_URL: the database 127.0.0.1:1/orders: connect ECONNREFUSED 127.0.0.1:1',
    );
  });

  it('that its folder cannot be used', async () => {
    expect(await reasonFor({ DATA_DIR: '/dev/null/data' })).toContain('cannot use DATA_DIR /dev/null/data');
  });

  it('which of its addresses and ports it cannot listen at, and leaves nothing running', async () => {
    const environment = { DATA_DIR: await aDataDir() };
    const other = createServer();
    onTestFinished(() => void other.close());
    const port = `${await listenAnywhere(other)}`;
    const taken = `port ${port} on 127.0.0.1 is in use; stop the other program or choose another port`;
    expect(await reasonFor({ ...environment, PORT: port })).toBe(`PORT: ${taken}`);
    expect(await reasonFor({ ...environment, METRICS_PORT: port })).toBe(`METRICS_PORT: ${taken}`);
    const foreign = { HOST: '192.0.2.1' };
    expect(await reasonFor({ ...environment, ...foreign })).toBe('HOST: 192.0.2.1 is not an address of this machine');
  });
});

it('a server whose statements take too long at its start ends with their cause, and with the setting', async () => {
  const database = await aDatabase();
  const unlock = await database.lock('lock table orders.api_keys in access exclusive mode');
  const environment = { DATABASE_URL: database.url, NODE_ENV: 'production', STATEMENT_TIMEOUT_MS: '1000' };
  const { code, stderr } = await run('main.ts', { PORT: '0', ...environment }).finished;
  await unlock();
  const limit = 'STATEMENT_TIMEOUT_MS may be too short: canceling statement due to statement timeout';
  expect([code, stderr]).toEqual([
    1,
    `orders: the demo API keys cannot be revoked; ${limit}
`,
  ]);
});
