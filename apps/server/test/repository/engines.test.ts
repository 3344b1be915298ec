import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../../..');

interface Manifest {
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

const MANIFESTS = globSync(
  ['package.json', '{packages,apps,tools,examples}/*/package.json', '{bench,chaos}/package.json'],
  {
    cwd: ROOT,
  },
);

function read(path: string): Manifest {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- npm defines the format
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}

/** Returns the oldest version of Node.js in a range such as `>=22.1.0`, as a comparable number. */
function oldest(range: string): number {
  const [, major = 0, minor = 0, patch = 0] = /^>= ?(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(range) ?? [];
  return Number(major) * 1_000_000 + Number(minor) * 1000 + Number(patch);
}

describe('the manifests', () => {
  it.each(MANIFESTS)('%s declares the oldest Node.js that it and its dependencies support', (path) => {
    const { engines, dependencies = {} } = read(join(ROOT, path));
    const node = oldest(engines?.node ?? '');
    expect(node).toBeGreaterThan(0);
    for (const name of Object.keys(dependencies)) {
      const needed = read(join(ROOT, path, '../node_modules', name, 'package.json')).engines?.node ?? '>=0';
      expect({ name, isEnough: oldest(needed) <= node }).toEqual({ name, isEnough: true });
    }
  });

  it('are all checked', () => {
    expect(MANIFESTS.length).toBeGreaterThanOrEqual(12);
  });
});
