import { fixedClock } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { keySearches } from '../../../src/admission/authentication/key-searches.ts';

describe('the record of absent keys', () => {
  it('keeps the last thousand, for thirty seconds each', () => {
    const clock = fixedClock();
    const searches = keySearches(() => clock.now());
    for (let n = 0; n <= 1000; n += 1) searches.ruleOut(`key ${n}`);
    expect(['key 0', 'key 1', 'key 1000'].map((key) => searches.isRuledOut(key))).toEqual([false, true, true]);
    clock.advance(30_000);
    expect(searches.isRuledOut('key 1000')).toBe(false);
  });
});
