import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aDefinitionFile, BAKERY, BAKING } from '../definition/definition-files.ts';
import { aFolder, type Finished, run } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

/** The migrations in their order. The last one creates functions, and has a digest of them in its name. */
const MIGRATIONS = [
  ...readdirSync(join(import.meta.dirname, '../../../../packages/persistence/migrations'))
    .map((file) => file.replace(/\.sql$/, ''))
    .toSorted(),
  'functions_',
];

function withoutDigest(output: string): string {
  return output.replaceAll(/\bfunctions_[0-9a-f]{16}\b/g, 'functions_');
}

function orders(dataDir: string, ...args: string[]): Promise<Finished> {
  return run('cli.ts', { DATA_DIR: dataDir }, args).finished;
}

describe('pnpm orders', () => {
  it('migrates a database without a server, and leaves no PostgreSQL running', async () => {
    const dataDir = join(await aFolder(), 'data');
    const { code, stdout, stderr } = await orders(dataDir, 'migrate');
    expect({ code, stdout: withoutDigest(stdout) }).toEqual({
      code: 0,
      stdout: `${MIGRATIONS.map((name) => `applied ${name}\n`).join('')}The schema is up to date.\n`,
    });
    expect(stderr).toContain('migration 0001-baseline begins');
    const again = await orders(dataDir, 'migrate');
    expect(again).toEqual({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
    expect((await orders(dataDir, 'keys', 'list')).code).toBe(0);
  });

  const faults: readonly (readonly [readonly string[], readonly string[]])[] = [
    [
      ['keys', 'create'],
      ['--owner: must be', '--scopes: must be'],
    ],
    [['keys', 'create', '--owner', 'a', '--scopes', 'everything'], ['--scopes: must be one or more of orders:read']],
    [['keys', 'create', '--owner', 'é', '--scopes', 'orders:read'], ['--owner: must be 1 to 255 printable ASCII']],
    [['keys', 'create', '--owner', 'a', '--scopes', 'orders:read', '--expires-in', '1y'], ['--expires-in: must be']],
    [['keys', 'create', '--colour', 'red'], ["Unknown option '--colour'"]],
    [['keys', 'revoke'], ['PREFIX: exactly one prefix is required']],
    [['migrate', '--state'], ["Unknown option '--state'"]],
    [
      ['keys', 'lsit'],
      ['unknown command: keys lsit', 'pnpm orders keys list'],
    ],
    [
      ['keys', 'list'],
      ['DATA_DIR: there is no database in', 'run pnpm orders migrate, or start the server'],
    ],
    [['migrate', '--status'], ['DATA_DIR: there is no database in']],
    [['distribute', 'orders'], ["Unexpected argument 'orders'"]],
    [['distribute', '--shards', '1025'], ['--shards: must be a whole number from 1 to 1024']],
    [['frobnicate'], ['the commands are', 'pnpm orders migrate', 'pnpm orders keys create']],
    [['migrate', '--json'], ['--json: needs --status']],
    [['definition', 'check'], ['FILE: exactly one file is required']],
    [['definition', 'schema', 'x'], ['definition schema takes no arguments']],
  ];
  for (const [args, expected] of faults) {
    it(`reports the errors in "${args.join(' ')}"`, async () => {
      const dataDir = join(await aFolder(), 'data');
      const { code, stdout, stderr } = await orders(dataDir, ...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      for (const fault of expected) expect(stderr).toContain(fault);
      expect(stderr).not.toMatch(/^ +at /m);
      expect(existsSync(dataDir)).toBe(false);
    });
  }

  it.each([[[]], [['--help']], [['help']], [['-h']]])('%j prints every command, with examples', async (args) => {
    const { code, stdout, stderr } = await orders('/nowhere', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, examples = ''] = stdout.split('\nExamples:\n');
    for (const words of ['migrate', 'distribute', 'keys create', 'keys list', 'certs allow', 'certs revoke']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${words} {2,}\\w`, 'm'));
      expect(examples).toContain(`  pnpm orders ${words}`);
    }
  });

  it('prints examples that it accepts', async () => {
    const { stdout } = await orders('/nowhere', 'help');
    const examples = [...stdout.matchAll(/^ {2}pnpm orders ([a-z].*)$/gm)].map(([, words = '']) => words.split(' '));
    expect(examples.length).toBeGreaterThan(7);
    // These need neither a database nor a key.
    const others = ['migrate', 'definition'];
    const ofApi = ['list', 'get', 'place', 'cancel', 'events'];
    for (const args of examples.filter(([command = '']) => !others.includes(command))) {
      const { stderr } = await orders(join(await aFolder(), 'data'), ...args);
      const [command = '', second] = args;
      const callsApi = ofApi.includes(command) || (command === 'webhooks' && second !== undefined);
      // The arguments are accepted; the only error is that there is no database, or no key, yet.
      expect(stderr).toContain(callsApi ? 'ORDERS_API_KEY: must be' : 'DATA_DIR: there is no database in');
    }
  });

  it.each([[['keys', 'create', '--help']], [['help', 'keys', 'create']], [['keys', 'create', '-h', '--owner', 'a']]])(
    '%j prints the usage of that command',
    async (args) => {
      const { code, stdout, stderr } = await orders('/nowhere', ...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage:\n {2}pnpm orders keys create .*\n {6}creates an API key and prints it once\n/);
      expect(stdout).toContain('\nExamples:\n  pnpm orders keys create --owner shop ');
      expect(stdout).not.toContain('keys list');
    },
  );

  it('prints the usage on standard error for help about an unknown command', async () => {
    const { code, stdout, stderr } = await orders('/nowhere', 'help', 'frobnicate');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('unknown command: frobnicate');
  });

  it('reports a misspelt variable without its value', async () => {
    const env = { DATABSE_URL: 'postgresql://u:hunter2@db/orders', DATA_DIR: join(await aFolder(), 'data') };
    const { code, stderr } = await run('cli.ts', env, ['keys', 'list']).finished;
    expect(code).toBe(1);
    expect(stderr).toContain('DATABSE_URL is unknown; did you mean DATABASE_URL?');
    expect(stderr).not.toContain('hunter2');
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
    const { code, stderr } = await program.finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('pnpm orders definition', () => {
  const definition = async (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    await run('cli.ts', { DATA_DIR: '/dev/null', ...env }, ['definition', ...args]).finished;

  it('checks a file without a configuration, and prints the statuses', async () => {
    const path = await aDefinitionFile({ ...BAKERY, custom: BAKING });
    const { code, stdout, stderr } = await definition({ PORT: 'abc', ORDERS_DEFINITION: '/nowhere' }, 'check', path);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`received (initial) -> baking, cancelled
baking -> ready, cancelled
ready -> collected
collected (terminal)
cancelled (cancel) (terminal)
Custom data: as the schema says
`);
  });

  it('reports all faults of a file, and exits with 1', async () => {
    const path = await aDefinitionFile({ ...BAKERY, initial: 'x', cancel: 'y' });
    const { code, stdout, stderr } = await definition({}, 'check', path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`orders cannot continue:
  ${path}#/initial: the initial status "x" is unknown
  ${path}#/cancel: the cancel status "y" is unknown
`);
  });

  it('prints a JSON schema that the reference has, too', async () => {
    const { code, stdout } = await definition({}, 'schema');
    expect(code).toBe(0);
    const published = join(import.meta.dirname, '../../../../docs/reference/definition.schema.json');
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(published, 'utf8')));
  });

  it('is used by the commands that know events', async () => {
    const env = { ORDERS_DEFINITION: await aDefinitionFile(BAKERY), DATA_DIR: join(await aFolder(), 'data') };
    const listen = ['listen', '--owner', 'shop', '--forward-to', 'http://127.0.0.1:1'];
    const accepted = await run('cli.ts', env, [...listen, '--types', 'order.ready']).finished;
    expect(accepted.stderr).toContain('DATA_DIR: there is no database in');
    const rejected = await run('cli.ts', env, [...listen, '--types', 'order.paid']).finished;
    expect(rejected.stderr).toContain('--types: must be different ones of order.placed,order.changed,order.baking,');
  });

  it('is validated by every command that has a database', async () => {
    const env = { ORDERS_DEFINITION: '/nowhere.json', DATA_DIR: join(await aFolder(), 'data') };
    const { code, stderr } = await run('cli.ts', env, ['keys', 'list']).finished;
    expect(code).toBe(1);
    expect(stderr).toContain('ORDERS_DEFINITION: /nowhere.json: cannot be read');
  });
});

describe('pnpm orders on a schema of another release', () => {
  const on = (url: string, ...args: string[]) => run('cli.ts', { DATABASE_URL: url }, args).finished;
  const reading: readonly (readonly string[])[] = [['keys', 'list'], ['certs', 'list'], ['distribute']];

  it('reports an older schema in one line, changes nothing, and migrates only on command', async () => {
    const { url, execute } = await aDatabase();
    await execute(`delete from orders.schema_migrations where name like 'functions%'`);
    for (const args of reading) {
      const { code, stdout, stderr } = await on(url, ...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^orders cannot continue:\n {2}DATABASE_URL: .*older than this release \(not applied: functions_\w+\).*\n$/,
      );
    }
    const state = (name: string) => (name === 'functions_' ? 'pending' : 'applied');
    const status = await on(url, 'migrate', '--status', '--json');
    expect({ code: status.code, stderr: status.stderr }).toEqual({ code: 0, stderr: '' });
    const expected = MIGRATIONS.map((name) => ({ name, state: state(name) }));
    const reported: unknown = JSON.parse(withoutDigest(status.stdout));
    expect(reported).toEqual(expect.arrayContaining(expected));
    expect(reported).toHaveLength(expected.length);
    expect(await execute('select name from orders.schema_migrations')).toEqual([{ name: '0001-baseline' }]);
    const { stdout } = await on(url, 'migrate');
    expect(withoutDigest(stdout)).toBe('applied functions_\nThe schema is up to date.\n');
    expect((await on(url, 'keys', 'list')).code).toBe(0);
  });

  it('reports a newer schema in one line', async () => {
    const { url, execute } = await aDatabase();
    await execute(`insert into orders.schema_migrations (name) values ('9999-later')`);
    for (const args of reading) {
      const { code, stderr } = await on(url, ...args);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^orders cannot continue:\n {2}DATABASE_URL: .*newer than this release \(unknown: 9999-later\).*\n$/,
      );
    }
    expect((await on(url, 'migrate', '--status')).stdout).toMatch(/^9999-later +unknown$/m);
    expect((await on(url, 'migrate')).stdout).toContain('newer than this release');
  });

  it('creates nothing in an empty database when it reports the status', async () => {
    const { url, execute } = await aDatabase();
    await execute('drop schema orders cascade');
    const { code, stdout } = await on(url, 'migrate', '--status');
    const [header, ...rows] = withoutDigest(stdout).trimEnd().split('\n');
    expect(code).toBe(0);
    expect(header).toMatch(/^MIGRATION +STATE$/);
    expect(rows.map((row) => row.split(/ +/))).toEqual(MIGRATIONS.map((name) => [name, 'pending']));
    expect(await execute(`select to_regclass('orders.schema_migrations') as made`)).toEqual([{ made: null }]);
  });
});
