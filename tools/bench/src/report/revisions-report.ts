import { LOAD_CASES } from '../cases/cases.ts';
import { type Estimate, estimateRatio } from '../revisions/estimate-ratio.ts';
import type { RevisionsResult } from '../revisions/compare-revisions.ts';
import { quantile } from '../statistics.ts';
import { figure, table } from './markdown.ts';

/** The highest accepted ratio of the CPU time of server and PostgreSQL after a change to that before it. */
const RATIO_MAX = 1.03;

/** Returns the cost of a request before and after a change as a Markdown table. */
export function revisionsReport(results: readonly RevisionsResult[]): string {
  const rows = results.map(({ case: name, rounds }) => {
    const ratio = (of: 'after' | 'control', cost: (round: Costs) => number) =>
      estimateRatio(rounds.map((round) => ({ start: round.start, ratio: cost(round[of]) / cost(round.before) })));
    const both = ratio('after', (cost) => cost.server + cost.postgres);
    return [
      LOAD_CASES[name].title,
      figure(
        quantile(
          rounds.map(({ before }) => before.server),
          0.5,
        ),
      ),
      figure(
        quantile(
          rounds.map(({ after }) => after.server),
          0.5,
        ),
      ),
      formatEstimate(ratio('after', (cost) => cost.server)),
      formatEstimate(ratio('control', (cost) => cost.server)),
      formatEstimate(both),
      formatEstimate(ratio('control', (cost) => cost.server + cost.postgres)),
      both.ratio <= RATIO_MAX ? 'hit' : '**missed**',
    ];
  });
  const header = ['', 'server µs before', 'after', 'after of before', 'same code', 'with PostgreSQL', 'same code'];
  return table([...header, `at most ${RATIO_MAX}`], rows);
}

type Costs = RevisionsResult['rounds'][number]['before'];

function formatEstimate({ ratio, low, high }: Estimate): string {
  return `${ratio.toFixed(3)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}
