import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const REPOSITORY = join(import.meta.dirname, '../../..');
const Dependencies = z.record(z.string(), z.object({ version: z.string() })).default({});
const Importer = z.object({ dependencies: Dependencies, devDependencies: Dependencies });
const Lockfile = z.object({ importers: z.record(z.string(), Importer) });

/** Returns the version of each package that a manifest names. The versions of its peers follow the version. */
async function directDependencies(folder: string): Promise<ReadonlyMap<string, string>> {
  const { importers } = Lockfile.parse(parse(await readFile(join(folder, 'pnpm-lock.yaml'), 'utf8')));
  const all = Object.values(importers).flatMap((each) =>
    Object.entries({ ...each.dependencies, ...each.devDependencies }),
  );
  return new Map(all.map(([name, { version }]) => [name, version.replace(/\(.*/, '')]));
}

it('the comparison servers have the same versions of packages as the repository', async () => {
  const own = await directDependencies(REPOSITORY);
  const compared = await directDependencies(join(REPOSITORY, 'tools/bench/comparison-servers'));
  const shared = [...compared].filter(([name]) => own.has(name));
  expect(shared.map(([name]) => name)).toEqual(expect.arrayContaining(['fastify', 'pg']));
  expect(Object.fromEntries(shared)).toEqual(Object.fromEntries(shared.map(([name]) => [name, own.get(name)])));
});
