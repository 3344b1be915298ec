import { defineConfig } from 'vitest/config';

// Packages are tested from their source: nothing has to be built first.
const conditions = ['source', 'node'];
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
      { ...source, test: { name: 'domain', include: ['packages/domain/test/**/*.test.ts'] } },
      { ...source, test: { name: 'http-adapter', include: ['packages/http-adapter/test/**/*.test.ts'] } },
      {
        ...source,
        test: {
          name: 'persistence',
          include: ['packages/persistence/test/**/*.test.ts'],
          globalSetup: 'packages/persistence/test/start-postgres.ts',
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        ...source,
        test: {
          name: 'server',
          include: ['apps/server/test/**/*.test.ts'],
          globalSetup: 'apps/server/test/prepare-data-dir.ts',
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
});
