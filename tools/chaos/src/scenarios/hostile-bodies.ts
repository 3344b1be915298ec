import { bursts, largestRequests, tooLargeBodies } from '../hostile/body-ways.ts';
import { type ExpensiveBody, LARGEST_BODIES, WRONG_CUSTOM } from '../hostile/expensive-bodies.ts';
import { playBeside } from '../hostile/hostile-play.ts';
import { fillLargestPage } from '../hostile/large-orders.ts';
import { startWriters } from '../hostile/writers.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

/** Writes of an owner in a minute, of which it has placed an order. */
const WRITES = 115;

/** Owners that attack together, and the writes of each: one burst, and a few more. */
const [TOGETHER, WRITES_TOGETHER] = [3, 40];

export const hostileBodies: Scenario = {
  name: 'hostile-bodies',
  about: 'bodies of the largest size that are expensive to parse, to read, and to reject',
  run: (stage) => playEach(stage, LARGEST_BODIES),
};

export const hostileCustom: Scenario = {
  name: 'hostile-custom',
  about: 'custom data with more errors than a response reports',
  run: (stage) => playEach(stage, WRONG_CUSTOM),
};

export const hostileBursts: Scenario = {
  name: 'hostile-bursts',
  about: 'bodies of 60 MiB, the largest requests that are allowed, and expensive bodies of several owners at once',
  run: async (stage) => {
    const { postgres, writers, scene, target } = await startWriters(stage, TOGETHER + 2);
    const [slow, large, ...together] = writers;
    if (!slow || !large) throw new Error('writers are missing');
    await fillLargestPage(postgres.url, target.url, large);
    await playBeside(scene, tooLargeBodies(target, slow));
    await playBeside(scene, largestRequests(target, large));
    const extent = { bodies: [...LARGEST_BODIES, ...WRONG_CUSTOM], writes: WRITES_TOGETHER };
    await playBeside(scene, bursts(target, `expensive bodies of ${TOGETHER} owners`, together, extent));
  },
};

/** Plays each body, of an owner of its own. */
async function playEach(stage: Stage, bodies: readonly ExpensiveBody[]): Promise<void> {
  const { writers, scene, target } = await startWriters(stage, bodies.length);
  for (const [index, body] of bodies.entries()) {
    const extent = { bodies: [body], writes: WRITES };
    await playBeside(scene, bursts(target, body.name, writers.slice(index, index + 1), extent));
  }
}
