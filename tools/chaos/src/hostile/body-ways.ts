import type { Outcome } from './attack.ts';
import type { ExpensiveBody } from './expensive-bodies.ts';
import { MEMORY_MAX_MIB, type Way } from './hostile-play.ts';
import { LARGEST_ORDER, LARGEST_PAGE } from './large-orders.ts';
import { requestText } from './request-text.ts';
import { requestsInTurn, type Target, way } from './ways.ts';
import type { Writer } from './writers.ts';

/** Writes of each owner at the same time, in bursts. */
const AT_ONCE = 30;

/** Bodies that owners send in bursts, so many of each owner. */
export function bursts(
  target: Target,
  name: string,
  writers: readonly Writer[],
  { bodies, writes }: { readonly bodies: readonly ExpensiveBody[]; readonly writes: number },
): Way {
  const texts = bodies.flatMap(({ body, changes = false }) =>
    writers.map(({ apiKey, orderId }) =>
      changes
        ? requestText({ method: 'PATCH', path: `/v1/orders/${orderId}`, apiKey, body })
        : requestText({ method: 'POST', path: '/v1/orders', apiKey, body }),
    ),
  );
  const extent = { connections: AT_ONCE * writers.length, count: writes * writers.length };
  const flood = requestsInTurn(target, name, texts, extent);
  return { ...flood, finishes: true, memoryMaxMib: writers.length * MEMORY_MAX_MIB, fault: withoutProperResponse };
}

/** By the documented formula, ten connections of one owner that keep a third of the pool at pages of 3.3 MB use as much. */
const LARGEST_MEMORY_MAX_MIB = 488;

/** The largest orders, pages and events that are allowed, on 10 connections, within the limits of one owner. */
export function largestRequests(target: Target, { apiKey }: Writer): Way {
  const write = requestText({ method: 'POST', path: '/v1/orders', apiKey, body: JSON.stringify(LARGEST_ORDER) });
  const page = requestText({ path: LARGEST_PAGE, apiKey });
  const events = requestText({ path: '/v1/events?limit=100&include=resource', apiKey });
  const texts = [write, page, page, page, page, events];
  const flood = requestsInTurn(target, 'largest orders and pages', texts, { connections: 10, count: 660 });
  return {
    ...flood,
    memoryMaxMib: LARGEST_MEMORY_MAX_MIB,
    fault: ({ sent = 0, stopped = 0, ...outcome }) => withoutProperResponse({ ...outcome, sent: sent - stopped }),
  };
}

/** Bodies of 60 MiB, with and without a length, on 20 connections of 640 KiB a second. Each gets 413. */
export function tooLargeBodies(target: Target, { apiKey }: Writer): Way {
  const head = `POST /v1/orders HTTP/1.1\r\nHost: orders\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json\r\n`;
  const part = ' '.repeat(64 * 1024);
  const bodies = [
    { head: `${head}Content-Length: ${60 * 1024 * 1024}\r\n\r\n`, part },
    { head: `${head}Transfer-Encoding: chunked\r\n\r\n`, part: `${part.length.toString(16)}\r\n${part}\r\n` },
  ];
  const fault = ({ sent = 0, 413: tooLarge = 0 }: Outcome) =>
    sent > 0 && tooLarge === sent ? undefined : `${tooLarge} of ${sent} bodies got 413`;
  return { ...way(target, '20 bodies of 60 MiB', { kind: 'slow', connections: 20, bodies }), fault };
}

/** Returns how many requests got no response, or one that is no result, rejection or refusal. */
function withoutProperResponse({ sent = 0, ...outcome }: Outcome): string | undefined {
  const proper = Object.entries(outcome).filter(([status]) => /^(200|201|400|413|422|429|503)$/.test(status));
  const count = proper.reduce((sum, [, times]) => sum + times, 0);
  return count === sent ? undefined : `${sent - count} of ${sent} requests got no proper response`;
}
