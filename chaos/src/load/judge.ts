import type { Stage } from '../stage.ts';
import type { Attempt } from './client.ts';
import { isRecord } from './resource.ts';

/** Judges an answer of a server whose database cannot be used: 503 or a success, in time, and never nothing at all. */
export function judgeOutage(
  stage: Stage,
  { request, exchanged }: Attempt,
  limitMs: number,
  statuses: readonly number[] = [503],
): void {
  const asked = `${request.method} ${request.path}`;
  const said = 'broken' in exchanged ? exchanged.broken : `${exchanged.status} ${exchanged.text.slice(0, 300)}`;
  const { tookMs } = exchanged;
  stage.holds(tookMs < limitMs, `an answer within ${limitMs} ms`, `${asked}: ${said} after ${tookMs.toFixed(0)} ms`);
  stage.holds(!('broken' in exchanged), 'every request is answered', `${asked}: ${said}`);
  if ('broken' in exchanged || exchanged.status < 500) return;
  stage.holds(statuses.includes(exchanged.status), `no 5xx but ${statuses.join(' and ')}`, `${asked}: ${said}`);
  if (exchanged.status !== 503) return;
  const code = isRecord(exchanged.body) ? exchanged.body['code'] : undefined;
  const after = exchanged.headers['retry-after'];
  stage.holds(code === 'unavailable' && after !== undefined, '503 unavailable with Retry-After', `${asked}: ${said}`);
}
