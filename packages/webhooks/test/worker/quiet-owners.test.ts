import { describe, expect, it } from 'vitest';
import { QuietOwners } from '../../src/worker/quiet-owners.ts';

describe('the owners without endpoints', () => {
  it('evict the first of more than 10,000 owners', () => {
    const owners = new QuietOwners();
    for (let number = 1; number <= 10_000; number += 1) owners.add(`owner ${number}`, 0);
    expect(owners.has('owner 1', 1)).toBe(true);
    owners.add('one more', 0);
    expect(['owner 1', 'owner 2', 'one more'].map((owner) => owners.has(owner, 1))).toEqual([false, true, true]);
  });
});
