import { defineConfig } from 'vitest/config';

const conditions = ['source', 'node'];

/** A test that is killed, only for leftovers.nightly.test.ts. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions }, noExternal: [/^@orders\//] },
  test: {
    include: ['apps/server/test/leftovers/*.fixture.ts'],
    globalSetup: 'apps/server/test/programs/prepare-data-dir.ts',
    testTimeout: 60_000,
  },
});
