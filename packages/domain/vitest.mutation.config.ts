import { defineConfig } from 'vitest/config';

const conditions = ['source', 'node'];

// The domain's tests but for those that read its source as text: a mutant is written into all of it at once.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions }, noExternal: [/^@orders\//] },
  test: {
    include: ['packages/domain/test/**/*.test.ts'],
    exclude: ['packages/domain/test/architecture.test.ts'],
    setupFiles: ['packages/domain/test/mutation/first-counterexample.ts'],
  },
});
