import type { FeedResults, RatioResult, WaitersResult, WakeResult } from '../feed/feed-results.ts';
import { figure, table } from './markdown.ts';

/** Returns the report of a run on the feed of events as Markdown. */
export function feedReport({ run, rounds, ratios, wakes, waiters }: FeedResults): string {
  return [
    `${run}\n- ${rounds} rounds`,
    ...(ratios.length > 0
      ? ['### Cost of a request to the feed, and of a write beside a reader', ratioTable(ratios)]
      : []),
    ...(wakes.length > 0 ? ['### From a write to the response to a long poll', wakeTable(wakes)] : []),
    ...(waiters.length > 0 ? ['### Waiters in one process', waitersTable(waiters)] : []),
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

function waitersTable(results: readonly WaitersResult[]): string {
  const rows = results.map(({ title, waiters, owners, server, postgres, bytes, atMost }) => {
    const share = server + postgres;
    const limit = atMost === null ? ['', ''] : [percent(atMost), verdict(share <= atMost)];
    const shares = [server, postgres, share].map(percent);
    return [`${waiters} of ${owners} owners, ${title}`, figure(bytes), ...shares, ...limit];
  });
  return table(['', 'bytes of heap for each', 'server, of one core', 'PostgreSQL', 'both', 'at most', ''], rows);
}

function percent(share: number): string {
  return `${figure(100 * share)} %`;
}

function verdict(isMet: boolean): string {
  return isMet ? 'hit' : '**missed**';
}
