import { defineConfig } from 'vitest/config';
import { deep, source } from './vitest.projects.ts';

/** The tests that take long: of faults, crashes, load, limits in time, and of every way to start a program. */
export default defineConfig({
  ...source,
  // They wait for the programs that they start.
  test: { maxWorkers: 3, projects: deep },
});
