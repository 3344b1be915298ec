import type { DepthResult, ScaleResults } from '../scale/scale-results.ts';
import { figure, table } from './markdown.ts';

const MORE_BUFFERS_MAX = 4;
const LATENCY_RATIO_MAX = 1.1;
const COST_RATIO_MAX = 1.2;

/** Returns the report of a run at scale as Markdown. */
export function scaleReport(results: ScaleResults): string {
  const { run, orders, owners, rounds } = results;
  return [
    `${run}\n- ${orders} orders, ${owners} owners, ${rounds} rounds`,
    '### Pages of a long list',
    depthTable(results.depths),
    '### Cost of a request as the database grows',
    growthTable(results),
  ].join('\n\n');
}

function depthTable(depths: readonly DepthResult[]): string {
  const first = depths.find(({ depth }) => depth === 0);
  const rows = depths.map(({ kind, depth, buffers, cost, p50, ratio }) => {
    const more = buffers - (first?.buffers ?? Number.NaN);
    const limited = kind === 'cursor' && depth > 0;
    return [
      `${kind} at ${depth}`,
      `${buffers}`,
      `${more}${limited ? verdict(more <= MORE_BUFFERS_MAX, MORE_BUFFERS_MAX) : ''}`,
      figure(cost.median),
      figure(p50.median),
      `${figure(ratio.median)} (${figure(ratio.min)}–${figure(ratio.max)})${limited ? verdict(ratio.median <= LATENCY_RATIO_MAX, LATENCY_RATIO_MAX) : ''}`,
    ];
  });
  return table(['', 'buffers', 'more than the first', 'CPU µs', 'p50 ms', 'latency of the first'], rows);
}

function growthTable({ growth }: ScaleResults): string {
  const rows = growth.map(({ title, before, after, ratio }) => [
    title,
    figure(before.median),
    figure(after.median),
    `${figure(ratio.median)} (${figure(ratio.min)}–${figure(ratio.max)})`,
    ratio.median <= COST_RATIO_MAX ? 'hit' : '**missed**',
  ]);
  return table(['', 'CPU µs before', 'after', `ratio, at most ${COST_RATIO_MAX}`, ''], rows);
}

function verdict(met: boolean, atMost: number): string {
  return met ? '' : ` **missed**, at most ${atMost}`;
}
