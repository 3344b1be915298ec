import { defineConfig } from 'vitest/config';
import { limits, source } from './vitest.projects.ts';

// The tests on the Citus cluster that TEST_CITUS_URL names. No registry has Citus, so that CI does not run them.
export default defineConfig({
  ...source,
  test: {
    ...limits,
    name: 'citus',
    include: ['packages/persistence/test/citus/**/*.test.ts', 'apps/server/test/citus/**/*.test.ts'],
    globalSetup: ['packages/persistence/test/citus/find-citus.ts', 'apps/server/test/prepare-data-dir.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The nodes share the machine with the servers and their clients.
    maxWorkers: 1,
  },
});
