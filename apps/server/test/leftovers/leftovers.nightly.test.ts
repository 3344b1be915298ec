import { describe, expect, it } from 'vitest';
import { leftoversOf } from './leftovers-of.ts';

describe('an aborted test run', () => {
  it.each([
    ['times-out', /Tests +2 failed \| 1 passed/],
    ['killed', /Errors +1 error/],
  ])('leaves no process behind: %s', { timeout: 120_000 }, async (name, printed) => {
    const { output, processes } = await leftoversOf(name);
    expect(output).toMatch(printed);
    expect(processes).toEqual([]);
  });
});
