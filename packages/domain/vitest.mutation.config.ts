import { defineConfig } from 'vitest/config';

const conditions = ['source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions }, noExternal: [/^@orders\//] },
  test: {
    include: ['packages/domain/test/**/*.test.ts'],
    // Its bugs are in programs of their own, which no mutant reaches.
    exclude: ['packages/domain/test/simulation/seeded-bugs.deep.test.ts'],
    // Stryker measures how long a mutant may take; a limit here would fail its first run on a busy machine.
    testTimeout: 60_000,
    setupFiles: ['packages/domain/test/mutation/first-counterexample.ts'],
  },
});
