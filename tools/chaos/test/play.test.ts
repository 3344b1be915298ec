import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@orders/child-processes';
import { expect, it, onTestFinished, vi } from 'vitest';
import { play } from '../src/play.ts';
import type { Stage } from '../src/stage.ts';

type Play = (stage: Stage) => void;

const holds: Play = (stage) => stage.holdsWithin(500, 'a response', 500);
const isLate: Play = (stage) => stage.holdsWithin(500, 'a response', 501);
const isWrong: Play = (stage) => stage.holds(false, 'an order', 'none');
const isBoth: Play = (stage) => {
  isLate(stage);
  isWrong(stage);
};
const fails: Play = () => {
  throw new RangeError('broken');
};

// A machine that stands still for a moment makes responses late once; a fault does so each time.
it.each<[string, readonly Play[], readonly unknown[]]>([
  ['holds', [holds], []],
  ['holds when it does after latencies', [isLate, isLate, holds], []],
  ['does not hold when a latency is too long in each of three plays', [isLate, isLate, isLate], ['501 ms']],
  ['does not hold after any other breach', [isWrong], ['none']],
  ['does not hold after another breach beside a latency', [isLate, isBoth], ['501 ms', 'none']],
  ['does not hold after an exception', [fails], [expect.stringContaining('broken')]],
])('a scenario %s', async (_, plays, expected) => {
  const folder = await mkdtemp(join(tmpdir(), 'orders-play-'));
  onTestFinished(() => removeFolder(folder));
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const ended = vi.fn<() => void>();
  const next = plays.values();
  const run = async (stage: Stage) => {
    stage.atEnd(ended);
    await Promise.resolve(next.next().value?.(stage));
  };
  const scenario = { name: 'seeded', about: 'a scenario', run };
  const { breaches } = await play(scenario, folder, false);
  written.mockRestore();
  expect(breaches.map(({ found }) => found)).toEqual(expected);
  expect(ended).toHaveBeenCalledTimes(plays.length);
});
