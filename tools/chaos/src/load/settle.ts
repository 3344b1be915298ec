import type { Stage } from '../stage.ts';
import type { Load } from './load.ts';
import { reconcile } from './reconcile.ts';
import { quantile, serverErrors, formatCounts } from './tally.ts';

/** Lets clients complete their operations, and compares the database at `url` with their responses. */
export async function settle(stage: Stage, load: Load, url: string): Promise<void> {
  const { tally, ledger } = load;
  await load.finish(stage.operations);
  load.close();
  stage.holds(load.failure() === undefined, 'every operation has a final response', String(load.failure()));
  const differences = load.failure() === undefined ? await reconcile(url, ledger) : ledger.contradictions;
  for (const difference of differences) {
    stage.holds(false, 'every acknowledged change is stored exactly once, and nothing else', difference);
  }
  stage.figure('operations', load.done());
  stage.figure('requests', tally.attempts);
  stage.figure('sent again', tally.retried);
  stage.figure('replayed', tally.replayed);
  stage.figure('5xx', serverErrors(tally));
  stage.figure('without a response', formatCounts(tally.broken));
  stage.figure('p50, slowest', `${quantile(tally.tookMs, 0.5).toFixed(0)}, ${quantile(tally.tookMs, 1).toFixed(0)} ms`);
}
