import { existsSync, statfsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { env as ownEnv, platform } from 'node:process';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { ProjectReporter } from './tools/project-reporter.mjs';

/*
 * Suites are folders, and the end of a file's name is its lane, which a command runs.
 *
 * - `*.test.ts` is the loop, `pnpm test`: to run while one works.
 * - `*.deep.test.ts`, `pnpm test:deep`: what takes longer, such as faults, crashes, limits in time, plans of large tables.
 * - `*.nightly.test.ts`, `pnpm test:nightly`: what takes minutes and is rarely broken.
 * - `*.redis.test.ts` and `*.balancer.test.ts`: with the Redis and the proxies of the machine.
 * - `*.citus.test.ts`: on the cluster that TEST_CITUS_URL names.
 */

// Some hundred databases live for seconds each, in temporary folders. On a disk, to copy and flush them takes more time
// than to use them; no test is about a disk that loses what was not flushed.
const MEMORY = '/dev/shm';
/** What the databases that exist at one time need, in bytes, with room to spare. */
const MEMORY_MIN = 6 * 2 ** 30;
if (platform === 'linux' && ownEnv['TMPDIR'] === undefined && freeBytes(MEMORY) >= MEMORY_MIN)
  ownEnv['TMPDIR'] = MEMORY;

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>;

// Packages are tested from their source, as Node.js runs it: nothing has to be built first, nor transformed by Vite, which
// took a quarter of the CPU time of the domain's tests.
const native: Partial<TestOptions> = {
  execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'],
  experimental: { viteModuleRunner: false, nodeLoader: false },
};
// The global set-up runs in this process, which was started without that condition.
registerHooks({
  resolve: (name, context, next) =>
    next(name, name.startsWith('@orders/') ? { ...context, conditions: ['source', ...context.conditions] } : context),
});

/** A time limit finds what hangs; it is no measure of speed, and holds on a busy machine too. */
const limits = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: join(import.meta.dirname, 'tools/vitest.setup.ts'),
};

// For the workers, and the programs that tests start: to compile is a third of their start. It has one entry for each module
// that they read.
ownEnv['NODE_COMPILE_CACHE'] = join(import.meta.dirname, 'node_modules/.cache/compile');

interface Suite extends Omit<TestOptions, 'include'> {
  readonly folders: readonly string[];
}

const DOMAIN: Suite = { name: 'domain', folders: ['packages/domain/test'] };

const HTTP_ADAPTER: Suite = {
  name: 'http-adapter',
  folders: ['packages/http-adapter/test'],
  globalSetup: 'packages/http-adapter/test/logging/scan-logs.ts',
};

const PERSISTENCE: Suite = {
  name: 'persistence',
  folders: ['packages/persistence/test'],
  globalSetup: 'packages/persistence/test/postgres-server/start-postgres.ts',
  provide: { postgresRelease: 18, preparedStatements: process.env['TEST_PREPARED_STATEMENTS'] !== 'off' },
};

const WEBHOOKS: Suite = { name: 'webhooks', folders: ['packages/webhooks/test'] };

const CLIENT: Suite = { name: 'client', folders: ['packages/client/test'] };

const PROGRAMS: Suite = {
  name: 'programs',
  folders: ['tools/bench/test', 'tools/chaos/test'],
};

/** For tests that start many programs, with databases of their own. In the loop, few start, from their sources. */
const PREPARED = ['apps/server/test/programs/prepare-data-dir.ts'];
const BUNDLED = [...PREPARED, 'apps/server/test/programs/bundle-programs.ts'];

const SERVER: Suite = { name: 'server', folders: ['apps/server/test'] };
const BUNDLED_SERVER: Suite = { ...SERVER, globalSetup: BUNDLED };

/** Persistence on the oldest release that is supported, and by unnamed statements. */
const PERSISTENCE_15: Suite = {
  ...PERSISTENCE,
  name: 'persistence-postgres-15',
  folders: ['packages/persistence/test'],
  provide: { postgresRelease: 15, preparedStatements: false },
};

// What the tests of persistence prove once, for every release. Some start a PostgreSQL of their own, or are about which one
// is started; others are about the statements that are sent.
const OF_ANY_RELEASE = [
  'embedded/*',
  'citus/*',
  'events/restored-feed',
  'replicas/*',
  'postgres-server/*',
  'ownership/*',
  'contracts/definitions',
].map((name) => `packages/persistence/test/${name}.{deep,nightly}.test.ts`);

const LOOP = '*.test.ts';
const DEEP = '*.deep.test.ts';
const NIGHTLY = '*.nightly.test.ts';
const ON_A_CLUSTER = '*.citus.test.ts';
const OTHER_LANES = '**/*.*.test.ts';

const SUITES = [DOMAIN, HTTP_ADAPTER, PERSISTENCE, WEBHOOKS, CLIENT, PROGRAMS];

const LANES: Readonly<Record<string, readonly TestProjectInlineConfiguration[]>> = {
  test: [...SUITES, SERVER].map((suite) => project(suite, LOOP, [OTHER_LANES])),
  deep: [...SUITES, BUNDLED_SERVER].map((suite) => project(suite, DEEP)),
  nightly: [
    ...[...SUITES, BUNDLED_SERVER].map((suite) => project(suite, NIGHTLY)),
    project(PERSISTENCE_15, LOOP, [...OF_ANY_RELEASE, `**/${ON_A_CLUSTER}`]),
  ],
  redis: [project({ ...BUNDLED_SERVER, name: 'redis' }, '*.redis.test.ts')],
  balancer: [
    project(
      {
        ...BUNDLED_SERVER,
        name: 'balancer',
        globalSetup: [...BUNDLED, 'apps/server/test/balancer/install-proxies.ts'],
      },
      '*.balancer.test.ts',
    ),
  ],
  // No registry has Citus, so that CI does not run them.
  citus: [
    project(
      {
        name: 'citus',
        folders: ['packages/persistence/test', 'apps/server/test'],
        globalSetup: ['packages/persistence/test/citus/find-citus.ts', ...PREPARED],
        testTimeout: 300_000,
        hookTimeout: 300_000,
      },
      ON_A_CLUSTER,
    ),
  ],
  // A round of the properties that are cheap, with many runs from a new seed; see tools/soak.mjs.
  soak: [
    project(
      {
        name: 'soak',
        folders: ['packages/domain/test/simulation', 'packages/domain/test/orders', 'packages/http-adapter/test'],
        globalSetup: 'packages/http-adapter/test/logging/scan-logs.ts',
        provide: { propertyRuns: { seed: Number(ownEnv['SOAK_SEED']), numRuns: Number(ownEnv['SOAK_RUNS']) } },
        testTimeout: 600_000,
      },
      '{simulation,order-properties,valid-requests.deep,json-fault}.test.ts',
    ),
  ],
};

/**
 * How many files run at once. Each worker of a project imports what its files need, so that more of them cost the loop CPU
 * time: a third of that of the client. Two servers or a cluster of nodes make a test of others.
 */
const WORKERS: Readonly<Record<string, number>> = { test: 2, deep: 3, nightly: 3, redis: 2, balancer: 2, citus: 1 };

/** Without a lane's name as mode, as tools that look for entries read it, it has all of them. */
export default defineConfig(({ mode }) => ({
  test: {
    maxWorkers: WORKERS[mode] ?? 1,
    projects: [...(LANES[mode] ?? Object.values(LANES).flat())],
    reporters: [new ProjectReporter()],
  },
}));

/**
 * The files of a worker share its modules: to read them for each took a fifth of the CPU time of the long tests. A helper
 * registers no hooks while it is imported, because only its first importer would have them, and no test mocks a module.
 */
function project(
  { folders, ...suite }: Suite,
  files: string,
  others: readonly string[] = [],
): TestProjectInlineConfiguration {
  const include = folders.map((folder) => `${folder}/**/${files}`);
  return {
    // One server of Vite for all.
    extends: true,
    test: { ...limits, ...native, isolate: false, ...suite, include, exclude: [...(suite.exclude ?? []), ...others] },
  };
}

/** Returns the free space of a file system in bytes, 0 when it does not exist. */
function freeBytes(folder: string): number {
  if (!existsSync(folder)) return 0;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
