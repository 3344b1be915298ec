import type { Stage } from '../stage.ts';
import type { Attempt } from './client.ts';
import { isRecord } from './resource.ts';

/** Checks the response of a server without its database: 503 or a success, in time. */
export function checkOutage(stage: Stage, { request, exchanged }: Attempt, limitMs: number): void {
  const description = `${request.method} ${request.path}`;
  const said = 'broken' in exchanged ? exchanged.broken : `${exchanged.status} ${exchanged.text.slice(0, 300)}`;
  const { tookMs } = exchanged;
  stage.holds(
    tookMs < limitMs,
    `a response within ${limitMs} ms`,
    `${description}: ${said} after ${tookMs.toFixed(0)} ms`,
  );
  stage.holds(!('broken' in exchanged), 'every request has a response', `${description}: ${said}`);
  if ('broken' in exchanged || exchanged.status < 500) return;
  stage.holds(exchanged.status === 503, 'no 5xx but 503', `${description}: ${said}`);
  const code = isRecord(exchanged.body) ? exchanged.body['code'] : undefined;
  const after = exchanged.headers['retry-after'];
  stage.holds(
    code === 'unavailable' && after !== undefined,
    '503 unavailable with Retry-After',
    `${description}: ${said}`,
  );
}
