import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BundledPrograms, bundlePrograms } from '@orders/bundled-programs';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The programs that the tests start; absent where they start from their sources. */
    bundledPrograms?: BundledPrograms;
  }
}

const SCRIPTS = ['../../src/main.ts', '../../src/cli.ts'];

/** Bundles the programs that the tests of a run start more than a hundred times. */
export default async function provideBundledPrograms(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-programs-'));
  const scripts = SCRIPTS.map((script) => join(import.meta.dirname, script));
  project.provide('bundledPrograms', await bundlePrograms(folder, scripts));
  return () => rm(folder, { recursive: true, force: true });
}
