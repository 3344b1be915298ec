import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { env as ownEnv, platform } from 'node:process';
import type { TestProjectInlineConfiguration } from 'vitest/config';

/*
 * The suites, each with the tests of the loop (`*.test.ts`, run by `pnpm test`) and those that take long
 * (`*.deep.test.ts`, run by `pnpm test:deep`).
 */

// Some hundred databases live for seconds each, in temporary folders. On a disk, to copy and flush them takes more time
// than to use them; no test is about a disk that loses what was not flushed.
const MEMORY = '/dev/shm';
/** What the databases that exist at one time need, in bytes, with room to spare. */
const MEMORY_MIN = 6 * 2 ** 30;
if (platform === 'linux' && ownEnv['TMPDIR'] === undefined && freeBytes(MEMORY) >= MEMORY_MIN)
  ownEnv['TMPDIR'] = MEMORY;

// Packages are tested from their source: nothing has to be built first.
const conditions = ['source', 'node'];
/** What every run of tests needs, whichever tests they are. */
export const source = {
  resolve: { conditions },
  ssr: { resolve: { conditions }, noExternal: [/^@orders\//] },
  // That of the global set-up.
  environments: { __vitest__: { resolve: { conditions, noExternal: [/^@orders\//] } } },
};

/** A time limit finds what hangs; it is no measure of speed, and holds on a busy machine too. */
export const limits = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: join(import.meta.dirname, 'vitest.setup.ts'),
};

// For the programs that tests start: to compile is a third of their start. It has one entry for each module that they read.
const env = { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compile') };

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>;

interface Suite extends Omit<TestOptions, 'include'> {
  readonly folders: readonly string[];
}

const DOMAIN: Suite = { name: 'domain', folders: ['packages/domain/test'] };

const HTTP_ADAPTER: Suite = {
  name: 'http-adapter',
  folders: ['packages/http-adapter/test'],
  globalSetup: 'packages/http-adapter/test/scan-logs.ts',
};

const PERSISTENCE: Suite = {
  name: 'persistence',
  folders: ['packages/persistence/test', 'tools/postgres-proxy/test'],
  // They need a Citus cluster; see vitest.citus.config.ts.
  exclude: ['packages/persistence/test/citus/**'],
  globalSetup: 'packages/persistence/test/start-postgres.ts',
  provide: { postgresRelease: 18, preparedStatements: process.env['TEST_PREPARED_STATEMENTS'] !== 'off' },
};

const WEBHOOKS: Suite = { name: 'webhooks', folders: ['packages/webhooks/test'] };

const CLIENT: Suite = { name: 'client', folders: ['packages/client/test'] };

const PROGRAMS: Suite = {
  name: 'programs',
  // Of bench and chaos, only what becomes of their processes is tested here, and that needs /proc.
  folders: [
    'tools/child-processes/test',
    'tools/prose/test',
    ...(platform === 'linux' ? ['bench/test', 'chaos/test'] : []),
  ],
};

const SERVER: Suite = {
  name: 'server',
  folders: ['apps/server/test'],
  // They need a Redis, HAProxy or Citus; see the configurations of these names.
  exclude: ['apps/server/test/redis/**', 'apps/server/test/balancer/**', 'apps/server/test/citus/**'],
  globalSetup: 'apps/server/test/prepare-data-dir.ts',
};

const SUITES = [DOMAIN, HTTP_ADAPTER, PERSISTENCE, WEBHOOKS, CLIENT, PROGRAMS, SERVER];

export const loop = SUITES.map((suite) => project(suite, '*.test.ts', ['**/*.deep.test.ts']));

/** The tests of persistence on the oldest release that is supported, and by unnamed statements. */
const PERSISTENCE_15: Suite = {
  ...PERSISTENCE,
  name: 'persistence-postgres-15',
  folders: ['packages/persistence/test'],
  provide: { postgresRelease: 15, preparedStatements: false },
};

// They start a PostgreSQL of their own, or are about which one is started.
const OF_THEIR_OWN_POSTGRES = [
  'packages/persistence/test/embedded-postgres.deep.test.ts',
  'packages/persistence/test/embedded-as-root.deep.test.ts',
  'packages/persistence/test/distribute.deep.test.ts',
  'packages/persistence/test/events/restored-feed.deep.test.ts',
  'packages/persistence/test/events/recovered-feed.deep.test.ts',
  'packages/persistence/test/failover.deep.test.ts',
  'packages/persistence/test/replicas/**',
  'packages/persistence/test/postgres/**',
];

// What they prove is the same for every release: the statements that are sent, orders of generated definitions, and the pool
// beside a silent network. The loop has the contracts of the default definition.
const OF_ANY_RELEASE = [
  'packages/persistence/test/statement-rules.deep.test.ts',
  'packages/persistence/test/definitions/contracts.deep.test.ts',
  'packages/persistence/test/fault-injection/silent-connections.deep.test.ts',
];

/** Beside `prepare-data-dir.ts`, for tests that start many programs. In the loop, they start from their sources. */
export const BUNDLE_PROGRAMS = 'apps/server/test/bundle-programs.ts';

export const deep = [
  ...SUITES.filter((suite) => suite !== SERVER).map((suite) => project(suite, '*.deep.test.ts')),
  project({ ...SERVER, globalSetup: ['apps/server/test/prepare-data-dir.ts', BUNDLE_PROGRAMS] }, '*.deep.test.ts'),
  // The tests of persistence once more.
  project(PERSISTENCE_15, '*.deep.test.ts', [...OF_THEIR_OWN_POSTGRES, ...OF_ANY_RELEASE]),
  project({ ...PERSISTENCE_15, name: 'persistence-loop-postgres-15' }, '*.test.ts', ['**/*.deep.test.ts']),
];

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
    ...source,
    test: { ...limits, isolate: false, env, ...suite, include, exclude: [...(suite.exclude ?? []), ...others] },
  };
}

/** Returns the free space of a file system in bytes, 0 when it does not exist. */
function freeBytes(folder: string): number {
  if (!existsSync(folder)) return 0;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
