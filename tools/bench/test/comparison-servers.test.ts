import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const REPOSITORY = join(import.meta.dirname, '../../..');
const Dependencies = z.record(z.string(), z.object({ version: z.string() })).default({});
const Lockfile = z.object({
  importers: z.record(z.string(), z.object({ dependencies: Dependencies, devDependencies: Dependencies })),
});

describe('the lockfile of the comparison servers', () => {
  it('has the same versions as that of the repository', async () => {
    const own = await directDependencies(REPOSITORY);
    const compared = await directDependencies(join(REPOSITORY, 'tools/bench/comparison-servers'));
    const shared = [...compared].filter(([name]) => own.has(name));
    expect(shared.map(([name]) => name)).toEqual(expect.arrayContaining(['@mikro-orm/postgresql', 'fastify', 'pg']));
    expect(Object.fromEntries(shared)).toEqual(Object.fromEntries(shared.map(([name]) => [name, own.get(name)])));
  });
});

/** Returns the version of each package that a manifest names. */
async function directDependencies(folder: string): Promise<ReadonlyMap<string, string>> {
  const lockfile = Lockfile.parse(parse(await readFile(join(folder, 'pnpm-lock.yaml'), 'utf8')));
  return new Map(
    Object.values(lockfile.importers)
      .flatMap(({ dependencies, devDependencies }) => Object.entries({ ...dependencies, ...devDependencies }))
      // The versions of the peer dependencies follow the version.
      .map(([name, { version }]) => [name, version.replace(/\(.*/, '')]),
  );
}
