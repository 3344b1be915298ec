import { describe, expect, it } from 'vitest';
import { RATIO_MAX, remeasured, type Sent, suspects } from '../src/hostile/ranking.ts';

const sentOnce = (id: string, family: string, ratio: number): Sent => ({
  id,
  route: 'place_order',
  family,
  bytes: 1,
  status: 422,
  units: 1,
  cpuMs: ratio,
  ratio,
});

describe('the ranking of hostile requests', () => {
  it('measures again all families above half of the limit, by their three dearest requests', () => {
    const dear = Array.from({ length: 10 }, (_, at) =>
      [0, 1, 2, 3].map((copy) => sentOnce(`${at}:${copy}`, `family ${at}`, RATIO_MAX * (20 - at) - copy)),
    ).flat();
    const cheap = sentOnce('cheap', 'another family', RATIO_MAX / 2);
    const chosen = suspects([cheap, ...dear]).map(({ id }) => id);
    expect(chosen).toEqual(dear.map(({ id }) => id).filter((id) => !id.endsWith(':3')));
  });

  it('ranks a request by the medians of its turns for each of its units, not by an outlier', () => {
    const turns = [2, 3, 90].map((hostile) => ({ hostile, creation: 2 }));
    const sent = { ...sentOnce('0:0', 'family', 45), units: 10 };
    expect(remeasured(sent, turns)).toMatchObject({ cpuMs: 3, ratio: 0.15 });
  });
});
