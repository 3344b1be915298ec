import { defineConfig } from 'vitest/config';
import { loop, source } from './vitest.projects.ts';

/** The tests to run while one works; vitest.deep.config.ts has the others. */
export default defineConfig({
  ...source,
  // The slow tests wait for programs that they start.
  test: { maxWorkers: 4, projects: loop },
});
