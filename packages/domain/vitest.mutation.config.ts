import { defineConfig } from 'vitest/config';

const conditions = ['source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions }, noExternal: [/^@orders\//] },
  test: {
    include: ['packages/domain/test/**/*.test.ts'],
    // Each mutant that survives runs all of the others.
    exclude: ['**/*.nightly.test.ts'],
    // Stryker measures how long a mutant may take; a limit here would fail its first run on a busy machine.
    testTimeout: 60_000,
    setupFiles: ['packages/domain/test/mutation/first-counterexample.ts'],
  },
});
