import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@orders/child-processes';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { play } from '../src/play.ts';
import type { Stage } from '../src/stage.ts';

const EXTENT = { operations: 1, full: false, seed: 1 };

/** Plays a scenario whose plays do what `plays` say, in turn, and then the last of these. Returns the number of plays. */
async function playAll(...plays: readonly ((stage: Stage) => void)[]) {
  const folder = await mkdtemp(join(tmpdir(), 'orders-play-'));
  onTestFinished(() => removeFolder(folder));
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  let count = 0;
  const ended = vi.fn<() => void>();
  const run = (stage: Stage) => {
    stage.atEnd(ended);
    count += 1;
    plays[Math.min(count, plays.length) - 1]?.(stage);
    return Promise.resolve();
  };
  const { breaches } = await play({ name: 'seeded', about: 'a scenario', run }, folder, EXTENT);
  written.mockRestore();
  expect(ended).toHaveBeenCalledTimes(count);
  return { count, found: breaches.map(({ found }) => found) };
}

const holds = (stage: Stage) => stage.holdsWithin(500, 'a response', 500);
const isLate = (stage: Stage) => stage.holdsWithin(500, 'a response', 501);
const isWrong = (stage: Stage) => stage.holds(false, 'an order', 'none');

describe('a scenario', () => {
  it('is played once when it holds', async () => {
    expect(await playAll(holds)).toEqual({ count: 1, found: [] });
  });

  it('is played again when only latencies do not hold, and holds when they do', async () => {
    expect(await playAll(isLate, holds)).toEqual({ count: 2, found: [] });
    expect(await playAll(isLate, isLate, holds)).toEqual({ count: 3, found: [] });
  });

  it('does not hold when a latency is too long in each of three plays', async () => {
    expect(await playAll(isLate)).toEqual({ count: 3, found: ['501 ms'] });
  });

  it('does not hold after any other breach, in whichever play', async () => {
    expect(await playAll(isWrong, holds)).toEqual({ count: 1, found: ['none'] });
    const isBoth = (stage: Stage) => {
      isLate(stage);
      isWrong(stage);
    };
    expect(await playAll(isLate, isBoth, holds)).toEqual({ count: 2, found: ['501 ms', 'none'] });
  });

  it('does not hold after an exception', async () => {
    const fails = () => {
      throw new RangeError('broken');
    };
    expect(await playAll(fails)).toEqual({ count: 1, found: [expect.stringContaining('broken')] });
  });
});
