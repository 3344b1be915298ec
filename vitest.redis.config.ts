import { defineConfig } from 'vitest/config';
import { BUNDLE_PROGRAMS, limits, source } from './vitest.projects.ts';

// The tests that start a Redis of the machine. They are not among those that run on a bare one; CI runs them.
export default defineConfig({
  ...source,
  test: {
    ...limits,
    name: 'redis',
    include: ['apps/server/test/redis/**/*.test.ts'],
    globalSetup: ['apps/server/test/prepare-data-dir.ts', BUNDLE_PROGRAMS],
    // Two servers, their PostgreSQL and Redis make a test.
    maxWorkers: 2,
  },
});
