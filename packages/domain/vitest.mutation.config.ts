import { defineConfig } from 'vitest/config';

const conditions = ['source', 'node'];

// All tests of the domain except those that read its sources as text, which contain all mutants at the same time.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions }, noExternal: [/^@orders\//] },
  test: {
    include: ['packages/domain/test/**/*.test.ts'],
    // Stryker measures how long a mutant may take; a limit here would fail its first run on a busy machine.
    testTimeout: 60_000,
    exclude: ['packages/domain/test/architecture.test.ts'],
    setupFiles: ['packages/domain/test/mutation/first-counterexample.ts'],
  },
});
