import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = resolve(import.meta.dirname, '../../../..');
const MANIFESTS = globSync(
  ['package.json', '{packages,apps,tools,examples}/*/package.json', '{bench,chaos}/package.json'],
  { cwd: ROOT },
);

const Manifest = z.object({
  engines: z.object({ node: z.string() }).partial().default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
});

function read(...path: readonly string[]) {
  return Manifest.parse(JSON.parse(readFileSync(join(ROOT, ...path, 'package.json'), 'utf8')));
}

/** Returns the oldest version of Node.js in a range such as `>=22.1.0`, as a comparable number. */
function oldest(range = ''): number {
  const [, major = 0, minor = 0, patch = 0] = /^>= ?(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(range) ?? [];
  return Number(major) * 1_000_000 + Number(minor) * 1000 + Number(patch);
}

it('each manifest declares the oldest Node.js that it and its dependencies support', () => {
  expect(MANIFESTS.length).toBeGreaterThanOrEqual(12);
  for (const manifest of MANIFESTS) {
    const folder = join(manifest, '..');
    const { engines, dependencies } = read(folder);
    expect({ manifest, node: oldest(engines.node) }).not.toEqual({ manifest, node: 0 });
    const needs = Object.keys(dependencies).map((name) => [name, read(folder, 'node_modules', name).engines.node]);
    expect({ manifest, newer: needs.filter(([, node]) => oldest(node) > oldest(engines.node)) }).toEqual({
      manifest,
      newer: [],
    });
  }
});
