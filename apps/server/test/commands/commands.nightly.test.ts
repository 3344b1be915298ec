import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/commands/run-command.ts';
import { aDefinitionFile, BAKERY, BAKING } from '../definition/definition-files.ts';
import { aFolder, type Finished, run } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

const ROOT = join(import.meta.dirname, '../../../..');
/** The migrations in their order. The last one creates functions, and has a digest of them in its name. */
const MIGRATIONS = [
  ...readdirSync(join(ROOT, 'packages/persistence/migrations')).map((file) => file.replace(/\.sql$/, '')),
  'functions_',
];

function withoutDigest(output: string): string {
  return output.replaceAll(/\bfunctions_[0-9a-f]{16}\b/g, 'functions_');
}

function orders(dataDir: string, ...args: readonly string[]): Promise<Finished> {
  return run('cli.ts', { DATA_DIR: dataDir }, args).finished;
}

describe('pnpm orders', () => {
  it('migrates a database without a server, and leaves no PostgreSQL running', async () => {
    const dataDir = join(await aFolder(), 'data');
    const { stderr, ...finished } = await orders(dataDir, 'migrate');
    expect(stderr).toContain(`creating a database in ${dataDir}\n`);
    expect(withoutDigest(stderr)).toContain(`applying the migrations ${MIGRATIONS.join(', ')}\n`);
    expect({ ...finished, stdout: withoutDigest(finished.stdout) }).toEqual({
      code: 0,
      stdout: `${MIGRATIONS.map((name) => `applied ${name}\n`).join('')}The schema is up to date.\n`,
    });
    const again = await orders(dataDir, 'migrate');
    expect(again).toEqual({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
    expect((await orders(dataDir, 'keys', 'list')).code).toBe(0);
  });

  it.each<[string, readonly string[]]>([
    ['keys create', ['--owner: must be 1 to 255 printable ASCII', '--scopes: must be one or more of orders:read']],
    ['keys create --owner a --scopes orders:read --expires-in 1y', ['--expires-in: must be']],
    ['keys lsit', ["unknown command 'lsit'", 'Did you mean list?']],
    ['keys', ['Usage: pnpm orders keys', 'lists the API keys']],
    ['keys list --jso', ["unknown option '--jso'", 'Did you mean --json?']],
    ['keys list', ['DATA_DIR: there is no database in', 'run pnpm orders migrate, or start the server']],
    ['migrate --status', ['DATA_DIR: there is no database in']],
    ['migrate --json', ['--json: needs --status']],
    ['distribute --shards 1025', ['--shards: must be a whole number from 1 to 1024']],
    ['certs allow', ['--subject, --uri: exactly one of them', '--owner: must be', '--scopes: must be']],
    [
      'listen --forward-to ftp://x --types order.placed,order.lost --secret whsec_short',
      ['--owner: must be', '--forward-to: must be', '--types: must be', '--secret: must be'],
    ],
    ['export --format csv', ['--owner: must be']],
    ['export --owner a --format csv --include versions --ids x', ['--include: needs', 'ids[0]: must be']],
    ['import x --owner a --format xml', ['Allowed choices are ndjson, csv.']],
    ['import x --owner a --on-error go', ['Allowed choices are stop, skip.']],
    ['completion csh', ['SHELL: must be bash, zsh or fish']],
    ['help frobnicate', ["unknown command 'frobnicate'"]],
    ['help get x', ["unknown command 'get x'"]],
  ])('reports the errors in "%s", and creates nothing', async (args, expected) => {
    const dataDir = join(await aFolder(), 'data');
    const { code, stdout, stderr } = await orders(dataDir, ...args.split(' '));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    for (const fault of expected) expect(stderr).toContain(fault);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('prints every command without arguments, in 80 columns, and accepts its example', async () => {
    const { code, stdout, stderr } = await orders('/nowhere');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const words of ['migrate', 'keys create', 'certs revoke'])
      expect(stdout).toMatch(new RegExp(`^ {2}${words} {2,}\\w`, 'm'));
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const examples = COMMANDS.map(({ examples: [example] }) => example.split(' '));
    const ofApi = ['list', 'get', 'place', 'cancel', 'stats', 'events'];
    // The others need neither a database nor a key.
    for (const args of examples.filter(
      ([command = '']) => !['migrate', 'definition', 'config', 'completion'].includes(command),
    )) {
      const [command = '', second] = args;
      const callsApi = ofApi.includes(command) || (command === 'webhooks' && second !== undefined);
      // The arguments are accepted; the only error is that there is no database, no key or no file to replay, yet.
      const missing = callsApi
        ? /ORDERS_API_KEY: must be|no server runs on/
        : /DATA_DIR: there is no database in|FILE: cannot be read: ENOENT/;
      expect((await orders(join(await aFolder(), 'data'), ...args)).stderr).toMatch(missing);
    }
  });

  it.each(['help keys create', 'keys create -h --owner a'])('%s prints the usage of that command', async (args) => {
    const { code, stdout, stderr } = await orders('/nowhere', ...args.split(' '));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: pnpm orders keys create .*\n\ncreates an API key and prints it once\n/);
    expect(stdout).toContain('\nExamples:\n  pnpm orders keys create --owner shop ');
    expect(stdout).not.toContain('keys list');
  });

  it('reports a misspelt variable, and the fault of the definition', async () => {
    const env = { DATABSE_URL: 'postgresql://u:hunter2@db/orders', ORDERS_DEFINITION: '/nowhere.ts' };
    const { code, stderr } = await run('cli.ts', env, ['keys', 'list']).finished;
    expect(code).toBe(1);
    expect(stderr).toContain('DATABSE_URL is unknown; did you mean DATABASE_URL?');
    expect(stderr).toContain('ORDERS_DEFINITION: /nowhere.ts: does not exist');
    expect(stderr).not.toContain('hunter2');
  });

  it.each([
    ['doc', 'doctor'],
    ['webhooks de', 'deliveries'],
    ['definition ', 'check plan'],
    ['place order.json --', '--key --json'],
    ['export --format ', 'ndjson csv'],
    ['place --key ', ''],
  ])('completes "orders %s" in bash', async (line, completions) => {
    const { stdout: script } = await orders('/nowhere', 'completion', 'bash');
    const words = ['orders', ...line.split(' ')].map((word) => `'${word}'`);
    const press = `COMP_WORDS=(${words.join(' ')}) COMP_CWORD=${words.length - 1}; _orders; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', `${script}\n${press}`], { encoding: 'utf8' })).toBe(`${completions}\n`);
  });

  it('ends without a message when the reader of its output closes it', async () => {
    const { url, execute } = await aDatabase();
    await execute(`insert into orders.api_keys select 'hash ' || n, 'prefix ' || n, 'shop', '[]', now(), null, null
      from generate_series(1, 20000) as n`);
    const program = run('cli.ts', { DATABASE_URL: url }, ['keys', 'list']);
    const { stdout } = program.process;
    if (stdout) {
      await once(stdout, 'data');
      stdout.destroy();
    }
    expect(await program.finished).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('pnpm orders definition', () => {
  const definition = async (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    await run('cli.ts', { DATA_DIR: '/dev/null', ...env }, ['definition', ...args]).finished;

  it('checks a file without a configuration, and prints the statuses or the fault', async () => {
    const path = await aDefinitionFile(BAKERY, BAKING);
    expect(await definition({ PORT: 'abc', ORDERS_DEFINITION: '/nowhere' }, 'check', path)).toEqual({
      code: 0,
      stderr: '',
      stdout: `received (initial) -> baking, cancelled
baking -> ready, cancelled
ready -> collected
collected (terminal)
cancelled (cancel) (terminal)
Custom data: as the schema says
`,
    });
    const faulty = await aDefinitionFile({ ...BAKERY, initial: 'x' });
    expect(await definition({}, 'check', faulty)).toEqual({
      code: 1,
      stdout: '',
      stderr: `orders: ${faulty}:2:3: defineOrders: the initial status is "x", which is none of received, baking, ready, collected, cancelled\n`,
    });
  });

  it('determines the types of events that commands know', async () => {
    const env = { ORDERS_DEFINITION: await aDefinitionFile(BAKERY), DATA_DIR: join(await aFolder(), 'data') };
    const listen = ['listen', '--owner', 'shop', '--forward-to', 'http://127.0.0.1:1', '--types'];
    expect((await run('cli.ts', env, [...listen, 'order.ready']).finished).stderr).toContain('there is no database in');
    expect((await run('cli.ts', env, [...listen, 'order.paid']).finished).stderr).toMatch(
      /--types: must be different ones of order\.placed,order\.changed,.*,order\.baking,/,
    );
  });
});

describe('pnpm orders on a schema of another release', () => {
  const on = (url: string, ...args: readonly string[]) => run('cli.ts', { DATABASE_URL: url }, args).finished;

  it('reports an older schema in one line, changes nothing, and migrates only on command', async () => {
    const { url, execute } = await aDatabase();
    await execute(`delete from orders.schema_migrations where name like 'functions%'`);
    const { code, stdout, stderr } = await on(url, 'keys', 'list');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^orders: DATABASE_URL: .*older than this release \(not applied: functions_\w+\).*\n$/);
    const status = await on(url, 'migrate', '--status', '--json');
    expect(JSON.parse(withoutDigest(status.stdout))).toEqual(
      MIGRATIONS.map((name) => ({ name, state: name === 'functions_' ? 'pending' : 'applied' })),
    );
    expect(await execute('select name from orders.schema_migrations')).toEqual([{ name: '0001-baseline' }]);
    const migrated = await on(url, 'migrate');
    expect(withoutDigest(migrated.stdout)).toBe('applied functions_\nThe schema is up to date.\n');
    expect((await on(url, 'keys', 'list')).code).toBe(0);
  });

  it('reports a newer schema in one line', async () => {
    const { url, execute } = await aDatabase();
    await execute(`insert into orders.schema_migrations (name) values ('9999-later')`);
    expect((await on(url, 'keys', 'list')).stderr).toMatch(
      /^orders: DATABASE_URL: .*newer than this release \(unknown: 9999-later\).*\n$/,
    );
    expect((await on(url, 'migrate', '--status')).stdout).toMatch(/^9999-later +unknown$/m);
    expect((await on(url, 'migrate')).stdout).toContain('newer than this release');
  });

  it('creates nothing in an empty database when it reports the status', async () => {
    const { url, execute } = await aDatabase();
    await execute('drop schema orders cascade');
    const [header, ...rows] = withoutDigest((await on(url, 'migrate', '--status')).stdout)
      .trimEnd()
      .split('\n');
    expect(header).toMatch(/^MIGRATION +STATE$/);
    expect(rows.map((row) => row.split(/ +/))).toEqual(MIGRATIONS.map((name) => [name, 'pending']));
    expect(await execute(`select to_regclass('orders.schema_migrations') as made`)).toEqual([{ made: null }]);
  });
});
