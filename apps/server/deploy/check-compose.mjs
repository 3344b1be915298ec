// Checks compose.yaml without an engine: the confinement of its services, their credentials, what variables turn on, and the
// script for an empty database on a real PostgreSQL.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { parse } from 'yaml';

/** What variables turn on. */
const EXTRAS = {
  WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 7).toString('base64'),
  AUTH_JWT_JWKS_URL: 'https://127.0.0.1/keys',
  AUTH_JWT_ISSUER: 'https://issuer.example',
  AUTH_JWT_AUDIENCE: 'orders',
  AUTH_JWT_OWNER_CLAIM: 'shop',
};
const SECRETS = { POSTGRES_PASSWORD: 'a-secret', REDIS_PASSWORD: 'another-secret' };

const PORTS = { balancer: '127.0.0.1:8080:8080', prometheus: '127.0.0.1:9090:9090' };
const PROFILES = { prometheus: ['metrics'], backup: ['backup'] };

/** Parses compose.yaml with these variables as `docker compose` does, and checks it. */
export function checkCompose() {
  for (const name of Object.keys(SECRETS)) {
    const { [name]: _, ...others } = SECRETS;
    assert.throws(() => read(others), new RegExp(`${name} is not set`), `starts without ${name}`);
  }
  const { services } = read(SECRETS);
  for (const [name, service] of Object.entries(services)) {
    assert.deepEqual(service.cap_drop, ['ALL'], `${name} keeps capabilities`);
    assert.deepEqual([service.cap_add, service.privileged], [undefined, undefined], `${name} gets capabilities`);
    assert.ok(service.security_opt.includes('no-new-privileges:true'), `${name} may gain privileges`);
    assert.equal(service.read_only, true, `${name} writes to its image`);
    assert.ok(service.mem_limit !== undefined && service.pids_limit > 0, `${name} has no limits`);
    // The Dockerfile sets the user of the image of this repository.
    assert.ok(service.build !== undefined || !/^(root|0)?$/.test(service.user ?? ''), `${name} runs as root`);
    assert.equal(service.ports?.[0], PORTS[name], `${name} publishes ports`);
    assert.deepEqual(
      service.logging.options,
      { 'max-size': '10m', 'max-file': '5' },
      `the log of ${name} grows for ever`,
    );
    assert.deepEqual(service.profiles, PROFILES[name], `${name} runs unasked`);
  }
  const { DATABASE_URL, REDIS_URL } = services['orders-1'].environment;
  const superuser = services.postgres.environment.POSTGRES_USER ?? 'postgres';
  assert.notEqual(new URL(DATABASE_URL).username, superuser, 'the servers are superusers');
  checkDefinition(services['orders-1'], '', '/dev/null');
  checkDefinition(
    read({ ...SECRETS, ORDERS_DEFINITION: './orders.definition.ts' }).services['orders-2'],
    '/etc/orders.definition.ts',
    './orders.definition.ts',
  );
  checkScrape(services);
  const [, flags, dump] = services.backup.command;
  assert.equal(spawnSync('sh', [`-n${flags.replace('-', '')}`, dump]).status, 0, 'the backup is no script');
  const { environment } = read({ ...SECRETS, ...EXTRAS }).services['orders-1'];
  for (const [name, value] of Object.entries(EXTRAS)) {
    assert.deepEqual([services['orders-1'].environment[name], environment[name]], ['', value], name);
  }
  const { command } = services.redis;
  assert.equal(command[command.indexOf('--requirepass') + 1], SECRETS.REDIS_PASSWORD, 'Redis has no password');
  assert.equal(new URL(REDIS_URL).password, SECRETS.REDIS_PASSWORD, 'REDIS_URL lacks the password');
  const [scripts] = services.postgres.volumes.filter((volume) => volume.includes('/docker-entrypoint-initdb.d'));
  const folder = join(import.meta.dirname, scripts.split(':')[0]);
  assert.ok(existsSync(folder), 'the scripts for an empty database are missing');
  console.log('  compose.yaml: services are confined, and none has the superuser or a Redis without a password');
  return { folder, databaseUrl: DATABASE_URL, migrate: services.migrate.command, environment };
}

/** Checks that Prometheus reads the files that it is given, and scrapes each server at the port of its metrics. */
function checkScrape(services) {
  const files = services.prometheus.volumes.flatMap((volume) => /^\.\/([^:]+)/.exec(volume)?.[1] ?? []);
  const read = (file) => parse(readFileSync(join(import.meta.dirname, file), 'utf8'));
  const {
    rule_files: rules,
    scrape_configs: [
      {
        static_configs: [{ targets }],
      },
    ],
  } = read('prometheus.yml');
  assert.deepEqual(files, ['prometheus.yml', ...rules]);
  const port = (name) => services[name].environment.METRICS_PORT;
  assert.deepEqual(
    targets,
    ['orders-1', 'orders-2'].map((name) => `${name}:${port(name)}`),
  );
}

/** Checks that a server reads the mounted definition, or none. */
function checkDefinition({ environment, volumes }, variable, mounted) {
  assert.equal(environment.ORDERS_DEFINITION, variable);
  assert.deepEqual(volumes, [`${mounted}:/etc/orders.definition.ts:ro`]);
}

/**
 * Runs the scripts of compose.yaml as the superuser of the running cluster in `dataDir`, in place of its role and its
 * database. Returns the `DATABASE_URL` of the servers on that cluster.
 */
export async function initialize({ folder, databaseUrl }, dataDir, clusterUrl) {
  const pid = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0];
  appendFileSync(join(dataDir, 'pg_hba.conf'), 'host all postgres 127.0.0.1/32 trust\n');
  process.kill(Number(pid), 'SIGHUP');
  const { port } = new URL(clusterUrl);
  const client = await connected(() => new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' }));
  await client.query('drop database orders');
  await client.query('drop role orders');
  for (const file of globSync('*.sql', { cwd: folder }).toSorted()) {
    for (const statement of statementsOf(readFileSync(join(folder, file), 'utf8'))) await client.query(statement);
  }
  const { rows } = await client.query(`
    select rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolpassword is null as open
    from pg_authid where rolname in ('orders', 'postgres') order by rolname`);
  const nothing = {
    rolsuper: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
    rolbypassrls: false,
  };
  assert.deepEqual({ ...rows[0] }, { rolname: 'orders', ...nothing, open: false });
  assert.equal(rows[1].open, true, 'the superuser can log in with a password');
  await client.end();

  const url = new URL(databaseUrl);
  Object.assign(url, { hostname: '127.0.0.1', port });
  const orders = new Client({ connectionString: url.href });
  await orders.connect();
  for (const statement of ['create database other', 'create role other', "copy (select 1) to program 'true'"]) {
    await assert.rejects(orders.query(statement), { code: '42501' }, `the servers may ${statement}`);
  }
  await orders.end();
  const elsewhere = new Client({ connectionString: url.href.replace(/\/orders$/, '/postgres') });
  await assert.rejects(elsewhere.connect(), { code: '42501' }, 'the servers may use another database');
  console.log('  the role of the servers owns its database and may do nothing else');
  return url.href;
}

/** The cluster reloads its configuration with a short delay. */
async function connected(make) {
  for (const deadline = Date.now() + 10_000; ;) {
    const client = make();
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

/** Returns the statements of a script for psql, with its variables from the environment. */
function statementsOf(script) {
  const variables = Object.fromEntries(
    [...script.matchAll(/^\\getenv (\w+) (\w+)$/gm)].map(([, name, variable]) => [name, SECRETS[variable]]),
  );
  return script
    .replaceAll(/^(?:--|\\).*$/gm, '')
    .replaceAll(/:'(\w+)'/g, (_, name) => `'${variables[name].replaceAll("'", "''")}'`)
    .split(/;\s*\n/)
    .filter((statement) => statement.trim() !== '');
}

function read(variables) {
  const text = readFileSync(join(import.meta.dirname, 'compose.yaml'), 'utf8').replaceAll(/^\s*#.*$/gm, '');
  const filled = text.replaceAll(/\$(?:\$|\{(\w+)(?::([?+-])([^}]*))?\})/g, (whole, name, kind, other) => {
    if (whole === '$$') return '$';
    if (variables[name] !== undefined) return kind === '+' ? other : variables[name];
    assert.notEqual(kind, '?', `${name} is not set`);
    return kind === '-' ? other : '';
  });
  return parse(filled, { merge: true });
}
