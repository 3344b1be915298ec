import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { hashApiKey, newSignInToken } from '@orders/http-adapter/settings';
import { openDatabase, postgresOperators } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { findOrders } from '../../src/commands/find.ts';
import { COMMANDS } from '../../src/commands/run-command.ts';
import { aFolder, AN_ORDER, run } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

/** The words that select a command. */
const wordsOf = (usage: string) => usage.replaceAll(/ [<[].*/g, '');

it('each command that changes what is stored, or reads of persons, is recorded with the user who runs it', async () => {
  const server = await aDatabase();
  const api = await startServerOn(server);
  const created = await api.request('/v1/orders', { method: 'POST', body: AN_ORDER });
  const Created = z.object({ id: z.string() });
  const { id: order } = Created.parse(await created.json());
  const body = JSON.stringify({ email: 'ada@example.com' });
  const headers = { 'content-type': 'application/json' };
  const customer = Created.parse(await (await api.request('/v1/customers', { method: 'POST', body, headers })).json());
  await api.stop();
  const database = openDatabase({ url: server.url });
  onTestFinished(() => database.close());
  const folder = await aFolder();
  const [orders, erasures] = [join(folder, 'orders.ndjson'), join(folder, 'erasures.ndjson')];
  const imported = { kind: 'customer', email: 'grace@example.com', created_at: '2024-03-01T09:00:00Z' };
  await writeFile(orders, `${JSON.stringify({ id: '7d0b4c61-93c5-4e37-9f0a-2a54a6d5f2a1', ...imported })}\n`);
  await writeFile(erasures, '');
  const found = { prefix: '', operator: '', session: '', job: '' };
  const shop = ['--owner', 'shop'];
  const grant = [...shop, '--scopes', 'orders:read'];
  /** The arguments of each command, in an order in which each has what it changes. */
  const argumentsOf: Readonly<Record<string, () => readonly string[]>> = {
    'keys create': () => grant,
    'keys rename': () => [found.prefix, 'web shop'],
    'keys revoke': () => [found.prefix],
    'certs allow': () => ['--subject', 'CN=shop', ...grant],
    'certs rename': () => ['CN=shop', 'web shop'],
    'certs revoke': () => ['CN=shop'],
    'operators create': () => ['Ada', '--role', 'support'],
    'operators rename': () => [found.operator, 'Grace'],
    'operators link': () => [found.operator],
    'operators end-session': () => [found.session],
    'operators revoke': () => [found.operator],
    suspend: () => shop,
    resume: () => shop,
    limit: () => [...shop, '--read', '9'],
    find: () => ['ada@example.com'],
    history: () => [order, ...shop],
    redeliver: () => ['--dry-run'],
    'jobs start': () => [found.job],
    'jobs cancel': () => [found.job],
    import: () => [orders, ...shop],
    export: () => shop,
    comment: () => [order, 'a neighbour has it', ...shop],
    correct: () => [order, ...shop, '--status', 'paid', '--reason', 'a ticket'],
    listen: () => [...shop, '--forward-to', 'http://127.0.0.1:9/'],
    'secrets replace': () => ['1a2b3c4d5e6f7a8b'],
    'statistics rebuild': () => shop,
    'lookups rebuild': () => shop,
    'customer-data': () => [customer.id, ...shop],
    'person-data': () => ['ada@example.com', ...shop],
    'customers erase': () => [customer.id, ...shop],
    'persons erase': () => ['ada@example.com', ...shop],
    'erasures replay': () => [erasures],
    quiet: () => [],
    adopt: () => [],
    distribute: () => [],
    migrate: () => [],
  };
  const recording = COMMANDS.filter((command) => 'records' in command && command.records !== 'nothing');
  expect(Object.keys(argumentsOf).toSorted()).toEqual(recording.map(({ usage }) => wordsOf(usage)).toSorted());

  const count = async () => {
    const rows = await server.execute(`select
      (select count(*) from orders.operator_audit) + (select count(*) from orders.owner_audit) as count`);
    return Number(rows[0]?.['count']);
  };
  const latest = async () => {
    const [row] = await server.execute(`select actor from (
      select id, actor from orders.operator_audit union all select id, actor from orders.owner_audit) as a
      order by id desc limit 1`);
    return row?.['actor'];
  };
  const silent: string[] = [];
  for (const [words, args] of Object.entries(argumentsOf)) {
    if (words === 'migrate') await server.execute('drop schema orders cascade');
    const before = words === 'migrate' ? 0 : await count();
    const command = run('cli.ts', { DATABASE_URL: server.url }, [...words.split(' '), ...args()]);
    if (words === 'listen') {
      await command.says(/Forwarding/);
      command.process.kill('SIGTERM');
    }
    const { stdout, stderr } = await command.finished;
    const actor = await latest();
    if ((await count()) === before || actor !== `command:${userInfo().username}`)
      silent.push(`${words}: ${stdout}${stderr}`);
    if (words === 'keys create') found.prefix = stdout.slice(0, 14);
    if (words === 'redeliver' || words === 'operators create') {
      const table = words === 'redeliver' ? 'operator_jobs' : 'operators';
      const [row] = await server.execute(`select id from orders.${table}`);
      found[words === 'redeliver' ? 'job' : 'operator'] = String(row?.['id']);
    }
    if (words === 'operators link') {
      const session = newSignInToken(new Date());
      const link = hashApiKey(stdout.trim().split('=').at(-1) ?? '');
      (await postgresOperators(database).signIn(link, session))._unsafeUnwrap();
      found.session = session.id;
    }
  }
  expect(silent).toEqual([]);
}, 600_000);

it.each([
  ['ada@example.com', 'search_all_orders'],
  ['own.contract:R-17', 'list_all_orders'],
  ['external.erp:4711', undefined],
])('a search for %s is recorded as %s', async (what, action) => {
  const { records } = findOrders;
  const entry = typeof records === 'function' && records({ positionals: [what], values: {}, flags: new Set() });
  expect(((await entry) || null)?.action).toBe(action);
});
