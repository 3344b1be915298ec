import { inspect } from 'node:util';
import { showProgress } from '@orders/system-under-test';
import { type Breach, type Scenario, setStage } from './stage.ts';

/** The outcome of a scenario. */
export interface Played {
  readonly name: string;
  readonly tookMs: number;
  readonly breaches: readonly Breach[];
  readonly figures: ReadonlyMap<string, string>;
}

/**
 * How often a scenario is played whose only breaches are latencies. A machine that stands still for a moment causes them
 * once, and a fault causes them every time.
 */
const PLAYS_MAX = 3;

/** Runs a scenario, and prints its outcome. An exception is a breach too. */
export async function play(scenario: Scenario, folder: string, full: boolean): Promise<Played> {
  process.stdout.write(`\n${scenario.name}: ${scenario.about}\n`);
  const begun = performance.now();
  for (let plays = 1; ; plays += 1) {
    const played = await playOnce(scenario, plays === 1 ? scenario.name : `${scenario.name}-${plays}`, folder, full);
    const isOnlyLate = played.breaches.length > 0 && played.breaches.every(({ isLatency }) => isLatency);
    if (!isOnlyLate || plays === PLAYS_MAX) return { ...played, tookMs: performance.now() - begun };
    process.stdout.write('  again, because only latencies did not hold\n');
  }
}

/** Plays a scenario, with a folder `name` below `folder`. */
async function playOnce(scenario: Scenario, name: string, folder: string, full: boolean): Promise<Played> {
  const begun = performance.now();
  const progress = showProgress();
  const stage = await setStage(name, folder, full, (text) => progress.step(text));
  try {
    await scenario.run(stage);
  } catch (cause) {
    stage.holds(false, 'the scenario can run', inspect(cause));
  }
  await stage.end();
  progress.end();
  const { breaches, figures } = stage;
  const tookMs = performance.now() - begun;
  for (const [figure, value] of figures) process.stdout.write(`  ${figure.padEnd(28)} ${value}\n`);
  for (const { expected, found } of breaches) {
    process.stdout.write(`  EXPECTED ${expected}\n     FOUND ${found}\n`);
  }
  process.stdout.write(`  ${breaches.length === 0 ? 'held' : 'DID NOT HOLD'} after ${seconds(tookMs)}\n`);
  return { name: scenario.name, tookMs, breaches, figures };
}

/** Formats a duration in seconds. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
