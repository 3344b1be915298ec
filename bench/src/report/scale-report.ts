import type { DepthResult, ScaleResults } from '../scale/scale-results.ts';
import { figure, table } from './markdown.ts';

const BUFFERS_MORE = 4;
const LATENCY_RATIO = 1.1;
const COST_RATIO = 1.2;

/** Everything that a run at scale showed, as Markdown. */
export function scaleReport(results: ScaleResults): string {
  const { run, orders, owners, rounds } = results;
  return [
    `${run}\n- ${orders} orders, ${owners} owners, ${rounds} rounds`,
    '### Pages of a long list',
    depthTable(results.depths),
    '### Cost of a request as there is more',
    growthTable(results),
  ].join('\n\n');
}

function depthTable(depths: readonly DepthResult[]): string {
  const first = depths.find(({ depth }) => depth === 0);
  const rows = depths.map(({ kind, depth, buffers, cost, p50, ratio }) => {
    const more = buffers - (first?.buffers ?? Number.NaN);
    const asked = kind === 'cursor' && depth > 0;
    return [
      `${kind} at ${depth}`,
      `${buffers}`,
      `${more}${asked ? verdict(more <= BUFFERS_MORE, BUFFERS_MORE) : ''}`,
      figure(cost.median),
      figure(p50.median),
      `${figure(ratio.median)} (${figure(ratio.min)}–${figure(ratio.max)})${asked ? verdict(ratio.median <= LATENCY_RATIO, LATENCY_RATIO) : ''}`,
    ];
  });
  return table(['', 'buffers', 'more than the first', 'CPU µs', 'p50 ms', 'latency of the first'], rows);
}

function growthTable({ growth }: ScaleResults): string {
  const rows = growth.map(({ what, little, much, ratio }) => [
    what,
    figure(little.median),
    figure(much.median),
    `${figure(ratio.median)} (${figure(ratio.min)}–${figure(ratio.max)})`,
    ratio.median <= COST_RATIO ? 'hit' : '**missed**',
  ]);
  return table(['', 'CPU µs before', 'after', `ratio, at most ${COST_RATIO}`, ''], rows);
}

function verdict(hit: boolean, atMost: number): string {
  return hit ? '' : ` **missed**, at most ${atMost}`;
}
