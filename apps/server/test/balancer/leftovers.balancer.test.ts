import { describe, expect, it } from 'vitest';
import { leftoversOf } from '../leftovers/leftovers-of.ts';

describe('an aborted test run', () => {
  it('leaves no balancer behind', async () => {
    const { output, processes } = await leftoversOf('loses-balancer');
    expect(output).toMatch(/Errors +1 error/);
    expect(processes).toEqual([]);
  });
});
