import { defineConfig } from 'vitest/config';
import { BUNDLE_PROGRAMS, limits, source } from './vitest.projects.ts';

// The tests that put the balancer of deploy/ in front of servers. CI runs them, with HAProxy installed.
export default defineConfig({
  ...source,
  test: {
    ...limits,
    name: 'balancer',
    include: ['apps/server/test/balancer/**/*.test.ts'],
    globalSetup: [
      'apps/server/test/prepare-data-dir.ts',
      BUNDLE_PROGRAMS,
      'apps/server/test/balancer/install-haproxy.ts',
    ],
    // Two servers, their PostgreSQL and the balancer make a test.
    maxWorkers: 2,
  },
});
