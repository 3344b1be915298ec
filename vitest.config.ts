import { platform } from 'node:process';
import { defineConfig } from 'vitest/config';

// Packages are tested from their source: nothing has to be built first.
const conditions = ['source', 'node'];
// A time limit finds what hangs; it is no measure of speed, and holds on a busy machine too.
const limits = { testTimeout: 60_000, hookTimeout: 60_000 };
const source = {
  resolve: { conditions },
  ssr: { resolve: { conditions }, noExternal: [/^@orders\//] },
};

export default defineConfig({
  ...source,
  test: {
    // The slow tests wait for programs that they start.
    maxWorkers: 4,
    projects: [
      { ...source, test: { ...limits, name: 'domain', include: ['packages/domain/test/**/*.test.ts'] } },
      {
        ...source,
        test: {
          ...limits,
          name: 'http-adapter',
          include: ['packages/http-adapter/test/**/*.test.ts'],
          // Its files share no state, and to read the document's schemas anew for each takes as long as the tests.
          isolate: false,
          globalSetup: 'packages/http-adapter/test/scan-logs.ts',
        },
      },
      {
        ...source,
        test: {
          ...limits,
          name: 'persistence',
          include: ['packages/persistence/test/**/*.test.ts', 'tools/postgres-proxy/test/**/*.test.ts'],
          globalSetup: 'packages/persistence/test/start-postgres.ts',
          provide: { postgresRelease: 18, preparedStatements: process.env['TEST_PREPARED_STATEMENTS'] !== 'off' },
        },
      },
      {
        ...source,
        test: {
          ...limits,
          name: 'persistence-postgres-15',
          include: ['packages/persistence/test/**/*.test.ts'],
          exclude: [
            // They start a PostgreSQL of their own, or are about which one is started.
            'packages/persistence/test/embedded-postgres.deep.test.ts',
            'packages/persistence/test/embedded-as-root.deep.test.ts',
            'packages/persistence/test/distribute.deep.test.ts',
            'packages/persistence/test/failover.deep.test.ts',
            'packages/persistence/test/replicas.deep.test.ts',
            'packages/persistence/test/postgres/**',
            // They take long; CI runs them on PostgreSQL 15 too.
            'packages/persistence/test/fault-injection/**',
            'packages/persistence/test/plans.deep.test.ts',
          ],
          globalSetup: 'packages/persistence/test/start-postgres.ts',
          provide: { postgresRelease: 15, preparedStatements: false },
        },
      },
      {
        ...source,
        test: {
          ...limits,
          name: 'programs',
          // Of bench and chaos, only what becomes of their processes is tested here, and that needs /proc.
          include: [
            'tools/child-processes/test/**/*.test.ts',
            ...(platform === 'linux' ? ['{bench,chaos}/test/**/*.test.ts'] : []),
          ],
        },
      },
      {
        ...source,
        test: {
          ...limits,
          name: 'server',
          include: ['apps/server/test/**/*.test.ts'],
          // They need a Redis, or HAProxy; see vitest.redis.config.ts and vitest.balancer.config.ts.
          exclude: ['apps/server/test/redis/**', 'apps/server/test/balancer/**'],
          globalSetup: 'apps/server/test/prepare-data-dir.ts',
        },
      },
    ],
  },
});
