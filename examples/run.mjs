// Packs the packages and uses them as their users do, outside the workspace. Checks the tarballs. Installs them with npm
// into a copy of each example, and into a folder for the code of each README. Compiles and runs it all.
//   node examples/run.mjs          everything
//   node examples/run.mjs NAME…    some of: embed-domain custom-adapter fastify-plugin own-table read-model follower
//                                  receiver readme readme-domain … jest browser types source-maps. Of docs: tutorial, the name of a guide
//
// With `--pack` it only packs the packages and checks the tarballs. With `--packed` it takes the tarballs that are there.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { followPage, PAGES } from './follow-page.mjs';

const root = resolve(import.meta.dirname, '..');
const packages = ['client', 'domain', 'http-adapter', 'persistence', 'webhooks'];
const subjects = {
  'embed-domain': example,
  'custom-adapter': example,
  'fastify-plugin': example,
  'own-table': example,
  'read-model': example,
  follower: example,
  receiver: example,
  readme,
  ...Object.fromEntries(packages.map((name) => [`readme-${name}`, readme])),
  jest: underJest,
  browser: inBrowserBundle,
  types: strictTypes,
  'source-maps': sourceMaps,
  ...Object.fromEntries(Object.keys(PAGES).map((name) => [name, page])),
};
/** What only these checks need, in the versions that they are known to work with. */
const TOOLS = {
  jest: ['jest@30.5.2', '@babel/plugin-transform-modules-commonjs@7.29.14'],
  browser: ['esbuild@0.28.2'],
  readme: ['node22@npm:node@22.23.3'],
  'readme-persistence': ['node22@npm:node@22.23.3'],
  'readme-webhooks': ['node22@npm:node@22.23.3'],
  'readme-client': ['node22@npm:node@22.23.3'],
};
/** Little more than the packages have, so that a change that makes one larger is noticed. */
const PACKED_BYTES_MAX = {
  client: 60_000,
  domain: 396_000,
  'http-adapter': 366_000,
  persistence: 330_000,
  webhooks: 56_000,
};
const [PACK, PACKED] = ['--pack', '--packed'];
const given = process.argv.slice(2);
const [mode, names] = given[0]?.startsWith('--') ? [given[0], given.slice(1)] : [undefined, given];

// With a lockfile of their own; see tools/linters.
const linters = join(root, 'tools/linters');
const bins = [root, linters].map((folder) => join(folder, 'node_modules/.bin'));
const PATH = [...bins, process.env.PATH].join(delimiter);
const work = mkdtempSync(join(tmpdir(), 'orders-packages-'));
// An embedded PostgreSQL runs as another account when we are root.
chmodSync(work, 0o711);

try {
  // The README installs from a clone beside the folder of the program.
  symlinkSync(root, join(work, 'orders'));
  if (mode !== PACKED) {
    run(linters, 'npx', '--yes', 'pnpm@12.21.0', 'install', '--frozen-lockfile', '--prefer-offline');
    run(root, 'npx', '--yes', 'pnpm@12.21.0', 'pack:all');
    for (const name of packages) checkTarball(name, tarball(name));
    console.log('\nThe tarballs are clean.');
  }
  const wanted = names.length > 0 ? names : Object.keys(subjects);
  if (mode === PACKED && names.length === 1) await subjects[names[0]](names[0]);
  else if (mode !== PACK) await tryAll(wanted);
} finally {
  rmSync(work, { recursive: true });
}

/** Tries the subjects, each in a process of its own, as many at a time as there are processors. */
async function tryAll(names) {
  const waiting = [...names];
  const failed = [];
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const outcome = await promisify(execFile)(process.execPath, [import.meta.filename, PACKED, name], {
        maxBuffer: Infinity,
      }).catch((error) => error);
      console.log(`${outcome.stdout}${outcome.stderr}`);
      if (outcome instanceof Error) failed.push(name);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  if (failed.length > 0) throw new Error(`failed: ${failed.join(', ')}`);
  console.log(`\n${names.join(', ')} run on the tarballs.`);
}

function run(folder, command, ...args) {
  console.log(`  ${command} ${args.join(' ')}`.replaceAll(`${work}/`, ''));
  execFileSync(command, args, { cwd: folder, stdio: 'inherit', env: { ...process.env, PATH } });
}

/** Packs an example, once: pnpm puts versions where the workspace has `workspace:` and `catalog:`. */
function pack(name) {
  if (existsSync(tarball(name))) return;
  console.log(`\n${name}: pack`);
  const args = ['--yes', 'pnpm@12.21.0', '--silent', 'pack', '--out', tarball(name)];
  const cwd = join(root, 'examples', name);
  execFileSync('npx', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, PATH } });
}

function tarball(name) {
  return packages.includes(name) ? join(root, 'packed', `orders-${name}.tgz`) : join(work, `${name}.tgz`);
}

/** What the tarball offers resolves and has types, and it ships what runs, the schema and words about it: no more. */
function checkTarball(name, file) {
  run(work, 'publint', '--strict', file);
  run(work, 'attw', '--profile', 'esm-only', '--format', 'ascii', '--quiet', file);
  const files = execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n');
  const extra = files.filter(
    (path) =>
      !/^package\/(package\.json|README\.md|LICENSE|dist\/(?!.*\.test\.).+\.(js|js\.map|d\.ts)|(migrations\/[^/]+|distribute)\.sql|openapi\.json)$/.test(
        path,
      ),
  );
  if (extra.length > 0) throw new Error(`ships ${extra.join(', ')}`);
  if (!files.includes('package/README.md')) throw new Error('ships no README.md');
  const bytes = statSync(file).size;
  console.log(`  ${name}: ${files.length} files, ${bytes} of at most ${PACKED_BYTES_MAX[name]} bytes`);
  if (bytes > PACKED_BYTES_MAX[name]) throw new Error(`${name} is too large`);
  const unmapped = files.filter((name) => name.endsWith('.js') && !files.includes(`${name}.map`));
  if (unmapped.length > 0) throw new Error(`ships no source map of ${unmapped.join(', ')}`);
  // The sources inside the maps are as the workspace has them.
  const shipped = execFileSync('tar', ['xzOf', file, '--exclude=*.map'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const [workspaceOnly] =
    /"source":|"workspace:|"catalog:|(?:from |import\()['"]\.[^'"]*(?<!\.d)\.ts['"]/.exec(shipped) ?? [];
  if (workspaceOnly) throw new Error(`ships ${workspaceOnly}, which only the workspace has`);
}

/** Makes a folder with `files`, or all, of the packed example, and installs it with npm on the tarballs. */
function install(name, source, files, ...dependencies) {
  const folder = join(work, name);
  pack(source);
  console.log(`\n${name}`);
  mkdirSync(folder);
  run(folder, 'tar', 'xzf', tarball(source), '--strip-components=1', ...files);
  run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...dependencies);
  return folder;
}

function example(name) {
  pack(name);
  const ours = Object.keys(manifest(name).dependencies).filter((dependency) => dependency.startsWith('@orders/'));
  const folder = install(name, name, [], ...ours.map((dependency) => from(dependency)));
  run(folder, 'tsc', '--noEmit');
  run(folder, 'npm', 'start', '--silent');
}

/**
 * Follows the README of a package, or of all: installs what it says, and runs each block of `ts` as a program. The programs
 * of the README of all, of persistence and of webhooks run on Node.js 22, too.
 */
function readme(name) {
  const [, owner] = name.split(/-(.+)/);
  const text = readFileSync(join(root, owner ? `packages/${owner}` : '', 'README.md'), 'utf8');
  const { dependencies: needed, devDependencies } = owner ? manifest(owner) : {};
  const ranges = { ...needed, ...devDependencies };
  const dependencies = [...text.matchAll(/^npm install ([^#\n]+)/gm)].flatMap(([, names]) => names.trim().split(' '));
  const files = ['package/package.json', 'package/tsconfig.json'];
  const tools = TOOLS[name] ?? [];
  const needs = dependencies.map((dependency) => from(dependency, ranges));
  const folder = install(name, 'embed-domain', files, ...needs, ...tools);
  const programs = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  if (programs.length === 0) throw new Error(`${name}: no example`);
  for (const [index, code] of programs.entries()) writeFileSync(join(folder, `example-${index}.ts`), code);
  run(folder, 'tsc', '--noEmit');
  // Node.js 22 is the oldest release that the packages support.
  for (const node of ['node', ...tools.map(() => join(folder, 'node_modules/node22/bin/node'))])
    for (const index of programs.keys()) run(folder, node, '--test-reporter=dot', `example-${index}.ts`);
}

/** Follows a page of docs in a copy of the repository, which has the tarballs. */
function page(name) {
  console.log(`\n${PAGES[name]}`);
  return followPage(join(root, PAGES[name]), join(work, name), { ...process.env, PATH });
}

/** A folder of its own with `files`, by their names, in which `dependencies` are installed. */
function project(name, files, ...dependencies) {
  const folder = join(work, name);
  console.log(`\n${name}`);
  mkdirSync(folder);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...dependencies);
  return folder;
}

/**
 * Runs the contracts against the store in memory under Jest, as ES modules and as CommonJS. Jest gives the modules of a
 * test a realm of their own, where `structuredClone` and the modules of Node.js make objects of another.
 */
function underJest() {
  const test = `
    const open = () => {
      const { events, purgeEvents, ...store } = inMemoryStore();
      const eventsOf = async (owner) => events().filter((event) => event.owner === owner);
      return { ...store, events: eventsOf, purge: async (cutoff) => purgeEvents(cutoff) };
    };
    orderRepositoryContract({ describe, it }, open);
    customerRepositoryContract({ describe, it }, open);
    eventFeedContract({ describe, it }, open);
    checkpointsContract({ describe, it }, inMemoryCheckpoints);
    it('stores values of the realm of the test', async () => {
      const { customers } = inMemoryStore();
      const customer = aCustomer({ metadata: { a: 'b' } });
      await customers.insert('owner', { customer, event: anEventOfCustomer('owner', customer) });
      expect((await customers.find('owner', customer.id))._unsafeUnwrap()).toStrictEqual(customer);
    });
    it('fails by an AssertionError that Jest can show', async () => {
      const failing = given(anOrder()).when((domain) => domain.listOrders('owner')).thenError({ type: 'none' });
      await expect(failing).rejects.toMatchObject({ name: 'AssertionError', code: 'ERR_ASSERTION' });
    });`;
  const names = `
    aCustomer, anEventOfCustomer, anOrder, checkpointsContract, customerRepositoryContract, eventFeedContract, given,
    inMemoryCheckpoints, inMemoryStore, orderRepositoryContract`;
  const plugins = ['@babel/plugin-transform-modules-commonjs'];
  const kinds = {
    esm: {
      type: 'module',
      jest: { transform: {} },
      test: `import {${names} } from '@orders/domain/testing';\n${test}`,
      flags: ['--experimental-vm-modules', '--no-warnings'],
    },
    commonjs: {
      type: 'commonjs',
      // Jest's own modules are CommonJS: its users have Babel transform packages of ES modules.
      jest: {
        transform: { '\\.js$': ['babel-jest', { plugins }] },
        transformIgnorePatterns: ['/node_modules/(?!@orders/)'],
      },
      test: `const {${names} } = require('@orders/domain/testing');\n${test}`,
      flags: [],
    },
  };
  const folder = project('jest', { 'package.json': '{ "private": true }' }, tarball('domain'), ...TOOLS.jest);
  for (const [name, { type, jest, test: contract, flags }] of Object.entries(kinds)) {
    const inner = join(folder, name);
    mkdirSync(inner);
    writeFileSync(join(inner, 'package.json'), JSON.stringify({ type, jest: { ...jest, testEnvironment: 'node' } }));
    writeFileSync(join(inner, 'contract.test.js'), contract);
    run(inner, 'node', ...flags, '../node_modules/jest/bin/jest.js', '--silent');
  }
}

/** Bundles the store in memory, and the whole kit, for browsers: without a module of Node.js, and only what is used. */
function inBrowserBundle() {
  const store = `import { inMemoryStore } from '@orders/domain/testing'; globalThis.store = inMemoryStore();`;
  const kit = `import * as kit from '@orders/domain/testing'; globalThis.kit = kit;`;
  const files = { 'package.json': '{ "private": true, "type": "module" }', 'store.js': store, 'kit.js': kit };
  const folder = project('browser', files, tarball('domain'), ...TOOLS.browser);
  for (const name of ['store', 'kit']) {
    const options = ['--bundle', '--minify', '--platform=browser', '--format=esm', '--log-level=error'];
    run(folder, 'node_modules/.bin/esbuild', `${name}.js`, ...options, `--outfile=${name}.bundle.js`);
  }
  const bundled = readFileSync(join(folder, 'store.bundle.js'), 'utf8');
  if (/AssertionError/.test(bundled))
    throw new Error('the store in memory brings the assertions of the contracts along');
}

/** Compiles a program that imports every package, and looks into their declarations, too: without those of MikroORM. */
function strictTypes() {
  const doors = [
    'client',
    'domain',
    'domain/events',
    'domain/for-owner',
    'domain/runtime',
    'domain/testing',
    'domain/webhooks',
    'http-adapter',
    'persistence',
    'persistence/embedded',
    'webhooks',
  ];
  const files = {
    'package.json': '{ "private": true, "type": "module" }',
    'doors.ts': doors.map((door, index) => `export * as door${index} from '@orders/${door}';\n`).join(''),
    'host.ts': `
      import { type HostOrm, type HostEntityManager, openDatabase } from '@orders/persistence';
      import { ok } from 'neverthrow';
      interface Em extends HostEntityManager { readonly shelf: 'A1' }
      export const shelf = (orm: HostOrm<Em>): PromiseLike<'A1' | undefined> =>
        openDatabase({ orm })
          .transaction(({ em }) => Promise.resolve(ok(em.shelf)))
          .unwrapOr(undefined);
      // @ts-expect-error -- the EntityManager has the type of the host's
      export const none = (orm: HostOrm<Em>) => openDatabase({ orm }).transaction(({ em }) => Promise.resolve(ok(em.row)));`,
  };
  const ranges = manifest('http-adapter').peerDependencies;
  const folder = project('types', files, ...packages.map(tarball), from('fastify', ranges), '@types/node');
  for (const name of ['@mikro-orm', 'kysely', 'pg', '@types/pg'])
    rmSync(join(folder, 'node_modules', name), { recursive: true, force: true });
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2024', '--module', 'nodenext'];
  run(folder, 'tsc', ...options, '--types', 'node', ...Object.keys(files).filter((file) => file.endsWith('.ts')));
}

/** What a package throws names the lines of its TypeScript, when Node.js is to follow source maps. */
function sourceMaps() {
  const files = {
    'package.json': '{ "private": true, "type": "module" }',
    'client.js': `import { createOrdersClient } from '@orders/client';\ncreateOrdersClient({ baseUrl: 'none' });`,
    'domain.js': `import { createDomain } from '@orders/domain';\ncreateDomain({}).placeOrder('');`,
    'http-adapter.js': `import { bearerTokens } from '@orders/http-adapter';\nbearerTokens({ jwksUrl: 'none' });`,
    'persistence.js': `import { postgresOrderRepository } from '@orders/persistence';\npostgresOrderRepository({});`,
    'webhooks.js': `import { webhookSecrets } from '@orders/webhooks';\nwebhookSecrets([]);`,
  };
  const ranges = manifest('http-adapter').peerDependencies;
  const folder = project('source-maps', files, ...packages.map(tarball), from('fastify', ranges));
  for (const name of packages) {
    const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, PATH } };
    const { stderr } = spawnSync('node', ['--enable-source-maps', `${name}.js`], options);
    const line = new RegExp(`@orders/${name}/src/.+\\.ts:\\d+:\\d+`).exec(stderr);
    if (!line) throw new Error(`the stack of ${name} shows no line of its source: ${stderr}`);
    console.log(`  ${line[0]}`);
  }
}

/** Where npm is to take a dependency from: ours from the tarballs, others in the version that we develop with. */
function from(dependency, ranges) {
  if (dependency.startsWith('@orders/')) return tarball(dependency.replace('@orders/', ''));
  return dependency in ranges ? `${dependency}@${ranges[dependency]}` : dependency;
}

/** The manifest that a tarball holds. */
function manifest(name) {
  return JSON.parse(execFileSync('tar', ['xzOf', tarball(name), 'package/package.json'], { encoding: 'utf8' }));
}
