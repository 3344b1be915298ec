import type { Scenario } from './scenario.ts';
import { type Breach, type Extent, setStage, type Stage } from './stage.ts';
import { seconds, showProgress } from './progress.ts';

/** The outcome of a scenario. */
export interface Played {
  readonly name: string;
  readonly tookMs: number;
  readonly breaches: readonly Breach[];
  readonly figures: ReadonlyMap<string, string>;
}

let playing: Stage | undefined;

/** Stops everything that the current scenario has started. */
export async function stopPlaying(): Promise<void> {
  await playing?.end();
}

/** Runs one scenario, and prints its outcome. An exception is a breach too. */
export async function play(scenario: Scenario, folder: string, extent: Extent): Promise<Played> {
  const { name, about } = scenario;
  process.stdout.write(`\n${name}: ${about}\n`);
  const begun = performance.now();
  const { progress, stopProgress } = showProgress(begun);
  const stage = await setStage(name, folder, extent, progress);
  playing = stage;
  try {
    await scenario.run(stage);
  } catch (cause) {
    stage.holds(false, 'the scenario can run', cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
  }
  await stage.end();
  stopProgress();
  const { breaches, figures } = stage;
  const tookMs = performance.now() - begun;
  for (const [figure, value] of figures) process.stdout.write(`  ${figure.padEnd(28)} ${value}\n`);
  for (const { expected, found } of breaches) {
    process.stdout.write(`  EXPECTED ${expected}\n     FOUND ${found}\n`);
  }
  process.stdout.write(`  ${breaches.length === 0 ? 'held' : 'DID NOT HOLD'} after ${seconds(tookMs)}\n`);
  return { name, tookMs, breaches, figures };
}
