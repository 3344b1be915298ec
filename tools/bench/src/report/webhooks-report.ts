import type { RatioResult } from '../feed/feed-results.ts';
import type { FairnessResult, LagResult, ThroughputResult, WebhooksResults } from '../webhooks/webhooks-results.ts';
import { figure, table } from './markdown.ts';

/** Returns the report of a run on webhooks as Markdown. */
export function webhooksReport({ run, throughput, lags, writes, fairness }: WebhooksResults): string {
  const sections = [
    [throughput.length, '### Deliveries per second', () => throughputTable(throughput)],
    [lags.length, '### From an event to its receiver', () => lagTable(lags)],
    [writes.length, '### Cost of a write with ten endpoints', () => ratioTable(writes)],
    [fairness.length, '### Owners beside others', () => fairnessTable(fairness)],
  ] as const;
  return [run, ...sections.flatMap(([count, title, text]) => (count > 0 ? [title, text()] : []))].join('\n\n');
}

function throughputTable(results: readonly ThroughputResult[]): string {
  const rows = results.map(({ title, deliveries, server, postgres, perSecond, atLeast }) => [
    title,
    `${deliveries}`,
    figure(server),
    figure(postgres),
    figure(perSecond),
    `${atLeast}`,
    verdict(perSecond >= atLeast),
  ]);
  return table(['', 'deliveries', 'server µs', 'PostgreSQL µs', 'deliveries/s', 'at least', ''], rows);
}

function lagTable(results: readonly LagResult[]): string {
  const rows = results.map(({ title, deliveries, p50, p95, p99, atMost }) => [
    title,
    `${deliveries}`,
    figure(p50),
    figure(p95),
    figure(p99),
    atMost === null ? '' : `${atMost}`,
    atMost === null ? '' : verdict(p95 <= atMost),
  ]);
  return table(['', 'deliveries', 'p50 ms', 'p95 ms', 'p99 ms', 'p95 at most', ''], rows);
}

function ratioTable(results: readonly RatioResult[]): string {
  const rows = results.map(({ title, before, after, ratio, atMost }) => [
    title,
    figure(before.median),
    figure(after.median),
    `${figure(ratio.median)} (${figure(ratio.min)}–${figure(ratio.max)})`,
    atMost === null ? '' : `${atMost}`,
    atMost === null ? '' : verdict(ratio.median <= atMost),
  ]);
  return table(['', 'CPU µs with none', 'with ten', 'ratio', 'at most', ''], rows);
}

function fairnessTable(results: readonly FairnessResult[]): string {
  const rows = results.map(({ title, deliveries, p50, p99, ratio, atMost }) => [
    title,
    `${deliveries}`,
    figure(p50),
    figure(p99),
    ratio === null ? '' : figure(ratio),
    ratio === null ? '' : `${atMost}`,
    ratio === null ? '' : verdict(ratio <= atMost),
  ]);
  return table(['', 'deliveries', 'p50 ms', 'p99 ms', 'ratio of p99', 'at most', ''], rows);
}

function verdict(isMet: boolean): string {
  return isMet ? 'hit' : '**missed**';
}
