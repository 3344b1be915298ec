import assert from 'node:assert/strict';
import * as domain from '@orders/domain';
import * as httpAdapter from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import { entryPoints } from './entry-points.ts';

/** Returns the paths of mutable objects in `value`, prefixed by `path`. */
function changeable(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value).flatMap(([key, member]) => changeable(member, `${path}.${key}`));
  const isOpen = !Object.isFrozen(value) || (value instanceof Set && adds(value)) || value instanceof Map;
  return isOpen ? [path, ...members] : members;
}

function adds(set: Set<unknown>): boolean {
  for (const change of [() => set.add('x'), () => set.delete('EUR'), () => set.clear()]) {
    try {
      change();
      return true;
    } catch {
      // A write that throws changes nothing.
    }
  }
  return false;
}

describe('the exports of the packages', () => {
  it.each(entryPoints())('cannot be changed by their importers: $specifier', async ({ source }) => {
    const exported: unknown = await import(source);
    assert.ok(typeof exported === 'object' && exported !== null);
    expect(Object.keys(exported)).not.toEqual([]);
    expect(Object.entries(exported).flatMap(([name, value]) => changeable(value, name))).toEqual([]);
  });

  it('contain objects to check', () => {
    const names = Object.entries({ ...domain, ...httpAdapter }).filter(([, value]) => typeof value === 'object');
    expect(names.map(([name]) => name)).toEqual(
      expect.arrayContaining(['CURRENCIES', 'ERROR_CATALOG', 'NO_DETAILS', 'ORDER_LIFECYCLE', 'SCOPES', 'SORTS']),
    );
    expect(changeable({ a: Object.freeze([new Set()]) }, 'b')).toEqual(['b', 'b.a.0']);
    expect(domain.CURRENCIES.has('EUR')).toBe(true);
    expect(domain.CURRENCIES.size).toBeGreaterThan(150);
  });
});
