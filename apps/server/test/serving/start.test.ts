import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { aFolder, run, startServer } from '../programs/running-server.ts';

it('the program of the server explains itself, and rejects other arguments, before it reads anything else', async () => {
  const outcomeOf = async (...args: readonly string[]) => await run('main.ts', { PORT: 'abc' }, args).finished;
  expect((await outcomeOf('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await outcomeOf('--help')).stdout).toContain('Usage:\n  pnpm start');
  expect((await outcomeOf('config', 'check')).stderr).toContain('PORT: must be an integer');
  expect(await outcomeOf('--port', '5')).toMatchObject({ code: 1, stdout: '' });
  // As a release sees itself that cannot parse the rest of the program.
  const older = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.1.0'})`;
  const refused = await run('main.ts', { NODE_OPTIONS: `--import=${older}` }).finished;
  expect(refused.stderr).toBe('orders: Node.js 26 or later is required; this is 20.1.0\n');
});

it('a server without a database creates one, prints a working curl line, and takes API keys that are made later', async () => {
  const dataDir = join(await aFolder(), 'data');
  const server = await startServer({ DATA_DIR: dataDir });
  expect(server.output()).toMatch(/^Starting Orders …\n(.* …\n)*\{.*"msg":"creating a database in .*"\}\n/);
  expect(server.output().match(/.*migration.*/g)).toHaveLength(1);
  expect(server.output()).toContain(`Orders listens on ${server.url}\n`);
  expect(server.output()).toContain(`${server.url}/docs\n`);
  const [line = ''] = /curl .*/.exec(server.output()) ?? [];
  const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent`]);
  expect(JSON.parse(stdout)).toEqual({ data: [], page: { limit: 20, has_more: false, next_cursor: null } });

  // Only their owner can read them.
  const modeOf = async (...names: readonly string[]) => (await stat(join(dataDir, ...names))).mode & 0o777;
  expect([await modeOf(), await modeOf('demo-api-key')]).toEqual([0o700, 0o600]);
  const demoKey = await server.demoKey();
  expect(demoKey).toMatch(/^demo_[0-9a-f]{10}_[\w-]{43}$/);
  expect(server.output()).not.toContain(demoKey);

  const args = ['keys', 'create', '--owner', 'shop', '--scopes', 'orders:read'];
  const created = await run('cli.ts', { DATA_DIR: dataDir }, args).finished;
  expect(created).toMatchObject({ code: 0, stderr: '' });
  expect(created.stdout).toMatch(/^ord_[0-9a-f]{10}_[\w-]{43}\n$/);
  const response = await fetch(`${server.url}/v1/orders`, { headers: { 'x-api-key': created.stdout.trim() } });
  expect(response.status).toBe(200);

  // Commands find the server by its folder, but not one that has crashed: its port may be that of another program.
  const list = () => run('cli.ts', { DATA_DIR: dataDir }, ['list', '--json']).finished;
  expect(await list()).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  await server.kill();
  expect((await list()).stderr).toContain(`no server runs on ${dataDir}`);
});
