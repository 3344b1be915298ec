import { CASES } from '../cases/cases.ts';
import type { RevisionsResult } from '../revisions/compare-revisions.ts';
import { figure, table } from './markdown.ts';

/** The most that a change may add to the CPU time of a case. */
const RATIO_MAX = 1.03;

/** What a request costs before and after, as a Markdown table. */
export function revisionsReport(results: readonly RevisionsResult[]): string {
  const rows = results.map(({ case: name, before, after, ratio, noise }) => [
    CASES[name].title,
    figure(before.median),
    figure(after.median),
    `${ratio.median.toFixed(3)} (${figure(ratio.min)}–${figure(ratio.max)})`,
    `${figure(noise.min)}–${figure(noise.max)}`,
    ratio.median <= RATIO_MAX ? 'hit' : '**missed**',
  ]);
  return table(['', 'CPU µs before', 'after', 'after of before', 'noise', `at most ${RATIO_MAX}`], rows);
}
