import { defineConfig } from 'vitest/config';

// Packages are tested from their source: nothing has to be built first.
const conditions = ['source', 'node', 'import', 'module', 'default'];
const source = { resolve: { conditions }, ssr: { resolve: { conditions } } };

export default defineConfig({
  test: {
    projects: [
      { ...source, test: { name: 'domain', include: ['packages/domain/test/**/*.test.ts'] } },
    ],
  },
});
