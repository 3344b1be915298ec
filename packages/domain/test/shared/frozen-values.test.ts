import assert from 'node:assert/strict';
import * as domain from '@orders/domain';
import * as events from '@orders/domain/events';
import * as runtime from '@orders/domain/runtime';
import { describe, expect, it } from 'vitest';

/** Returns `value` and all objects in it. */
function objectsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

describe('the constants of the domain', () => {
  it.each(Object.entries({ domain, events, runtime }))('are frozen with all their members: %s', (_, exported) => {
    const constants = Object.values(exported).flatMap(objectsIn);
    expect(constants.length).toBeGreaterThan(0);
    for (const constant of constants) expect(constant).toSatisfy(Object.isFrozen);
  });

  it('include a set of currencies that rejects every change', () => {
    const currencies: unknown = domain.CURRENCIES;
    assert.ok(currencies instanceof Set);
    const before = [...currencies];
    for (const change of [() => currencies.add('XXX'), () => currencies.delete('EUR'), () => currencies.clear()])
      expect(change).toThrow(new TypeError('this set is read-only'));
    expect([...currencies]).toEqual(before);
  });
});
