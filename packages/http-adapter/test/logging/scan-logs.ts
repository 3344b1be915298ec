import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { faultsIn } from './log-rules.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder in which the tests collect the logs of their servers. */
    readonly logFolder: string;
  }
}

/** Collects the logs of the servers of all tests, and fails the run if they contain forbidden data. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-logs-'));
  provide('logFolder', folder);
  return async () => {
    const files = await readdir(folder);
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    await rm(folder, { recursive: true });
    const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');
    const faults = lines.flatMap((line) => faultsIn(line).map((fault) => `${fault}: ${line}`));
    if (faults.length > 0) throw new Error(`${faults.length} leaks in the log:\n${faults.slice(0, 20).join('\n')}`);
  };
}
