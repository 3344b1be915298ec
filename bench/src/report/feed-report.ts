import type { FeedResults, RatioResult, WaitersResult, WakeResult } from '../feed/feed-results.ts';
import { figure, table } from './markdown.ts';

/** The largest accepted share of a core that waiters take. */
const SHARE_MAX = 0.05;

/** Returns the report of a run on the feed of events as Markdown. */
export function feedReport({ run, rounds, ratios, wakes, waiters }: FeedResults): string {
  return [
    `${run}\n- ${rounds} rounds`,
    ...(ratios.length > 0
      ? ['### Cost of a request to the feed, and of a write beside a reader', ratioTable(ratios)]
      : []),
    ...(wakes.length > 0 ? ['### From a write to the response to a long poll', wakeTable(wakes)] : []),
    ...(waiters ? ['### Waiters in one process', waitersTable(waiters)] : []),
  ].join('\n\n');
}

function ratioTable(ratios: readonly RatioResult[]): string {
  const rows = ratios.map(({ title, before, after, ratio, atMost }) => [
    title,
    figure(before.median),
    figure(after.median),
    `${figure(ratio.median)} (${figure(ratio.min)}–${figure(ratio.max)})`,
    atMost === null ? '' : `${atMost}`,
    atMost === null ? '' : verdict(ratio.median <= atMost),
  ]);
  return table(['', 'CPU µs before', 'after', 'ratio', 'at most', ''], rows);
}

function wakeTable(wakes: readonly WakeResult[]): string {
  const rows = wakes.map(({ title, count, p50, p99, atMost }) => [
    title,
    `${count}`,
    figure(p50),
    figure(p99),
    `${atMost}`,
    verdict(p99 <= atMost),
  ]);
  return table(['', 'writes', 'p50 ms', 'p99 ms', 'p99 at most', ''], rows);
}

function waitersTable({ waiters, owners, server, postgres, bytes }: WaitersResult): string {
  const share = server + postgres;
  const shares = [server, postgres, share, SHARE_MAX].map(percent);
  return table(
    ['', 'bytes of heap for each', 'server, of one core', 'PostgreSQL', 'both', 'at most', ''],
    [[`${waiters} of ${owners} owners`, figure(bytes), ...shares, verdict(share <= SHARE_MAX)]],
  );
}

function percent(share: number): string {
  return `${figure(100 * share)} %`;
}

function verdict(isMet: boolean): string {
  return isMet ? 'hit' : '**missed**';
}
