import { defineConfig } from 'vitest/config';
import { source } from './vitest.projects.ts';

/** A round of the soak test: the tests whose properties are cheap, with many runs from a new seed; see scripts/soak.mjs. */
export default defineConfig({
  ...source,
  test: {
    name: 'soak',
    include: [
      'packages/domain/test/simulation/simulation.test.ts',
      'packages/http-adapter/test/fuzz/valid-requests.test.ts',
      'packages/http-adapter/test/json-fault.test.ts',
    ],
    globalSetup: 'packages/http-adapter/test/scan-logs.ts',
    provide: { propertyRuns: { seed: Number(process.env['SOAK_SEED']), numRuns: Number(process.env['SOAK_RUNS']) } },
    testTimeout: 600_000,
    reporters: [['default', { summary: false }]],
  },
});
