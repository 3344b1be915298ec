import { describe, expect, it } from 'vitest';
import { leftoversOf } from '../leftovers/leftovers-of.ts';

describe('an aborted test run', () => {
  it('leaves no Redis behind', async () => {
    const { output, processes } = await leftoversOf('loses-redis');
    expect(output).toMatch(/Errors +1 error/);
    expect(processes).toEqual([]);
  });
});
