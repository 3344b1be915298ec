import type { OrderDefinition } from '@orders/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definitions } from '../../fixtures/a-definition.ts';

describe('generated definitions', () => {
  it('have one status and forty, cycles and several terminal statuses among them', () => {
    const sample = fc.sample(definitions, { numRuns: 300, seed: 7 });
    const terminals = ({ lifecycle }: OrderDefinition) =>
      Object.values(lifecycle).filter(({ length }) => length === 0).length;
    const returns = ({ lifecycle, initial }: OrderDefinition) =>
      Object.values(lifecycle).some((targets) => targets.includes(initial));
    const counts = sample.map(({ statuses }) => statuses.length);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([1, 40]);
    expect(sample.some((one) => terminals(one) > 3)).toBe(true);
    expect(sample.some(returns)).toBe(true);
  });
});
