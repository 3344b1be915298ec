import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CURRENCIES } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const PACKAGES = join(import.meta.dirname, '../../../../packages');

const Manifest = z.object({
  exports: z.record(z.string(), z.union([z.string(), z.object({ source: z.string() })])),
});

/** The sources of every entry point with code that the manifests of the packages declare. */
const SOURCES = globSync('*/package.json', { cwd: PACKAGES }).flatMap((manifest) => {
  const { exports } = Manifest.parse(JSON.parse(readFileSync(join(PACKAGES, manifest), 'utf8')));
  return Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : [join(manifest, '..', target.source)],
  );
});

/** Returns the paths of mutable objects in `value`, prefixed by `path`. */
function changeable(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value).flatMap(([key, member]) => changeable(member, `${path}.${key}`));
  const isOpen = !Object.isFrozen(value) || (value instanceof Set && isWritable(value)) || value instanceof Map;
  return isOpen ? [path, ...members] : members;
}

function isWritable(set: Set<unknown>): boolean {
  return [() => set.add('x'), () => set.delete('EUR'), () => set.clear()].some((change) => {
    try {
      change();
      return true;
    } catch {
      // A write that throws changes nothing.
      return false;
    }
  });
}

describe('the exports of the packages', () => {
  it.each(SOURCES)('cannot be changed by their importers: %s', async (source) => {
    const exported: unknown = await import(join(PACKAGES, source));
    assert.ok(typeof exported === 'object' && exported !== null);
    expect(Object.keys(exported)).not.toEqual([]);
    expect(Object.entries(exported).flatMap(([name, value]) => changeable(value, name))).toEqual([]);
  });

  it('are checked with all that they contain', () => {
    expect(SOURCES.length).toBeGreaterThan(10);
    expect(changeable({ a: Object.freeze([new Set()]) }, 'b')).toEqual(['b', 'b.a.0']);
    expect(CURRENCIES.has('EUR')).toBe(true);
  });
});
