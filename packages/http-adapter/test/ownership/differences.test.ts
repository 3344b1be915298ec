import { describe, expect, it } from 'vitest';
import { type Exchange, differences } from './differences.ts';
import type { ProbeResponse } from './exchange.ts';

const THEIRS = '019b0000-0000-7000-8000-00000000000a';
const NONEXISTENT = '5f1c9a8e-3f0d-4b51-9a43-0d6a1d4a7c11';

interface Parts {
  readonly status?: number;
  readonly requestId?: string;
  readonly date?: string;
  readonly limits?: readonly string[];
  readonly before?: ProbeResponse['headers'];
  readonly after?: ProbeResponse['headers'];
  readonly body?: string;
}

const REQUEST = '0b0f6a52-1c55-4b0e-8a60-6b7c1d0f2e01';
const OTHER_REQUEST = 'f2a3c1de-77aa-4a0b-b1a9-5c2c4be0aa02';

/** Returns a response to a request with `id`. */
function responseTo(id: string, parts: Parts = {}): Exchange {
  const { status = 404, requestId = REQUEST, date = 'Fri, 02 Jan 2026 03:04:05 GMT', limits = ['"read";r=9'] } = parts;
  const { before = [], after = [], body = `{"detail":"There is no ${id}.","request_id":"${requestId}"}` } = parts;
  const headers: ProbeResponse['headers'] = [
    ...before,
    ['x-request-id', requestId],
    ['content-type', 'application/problem+json'],
    ...limits.map((value, index) => [['ratelimit', 'ratelimit-policy'][index] ?? '', value] as const),
    ...after,
    ['Date', date],
  ];
  return { sent: id, response: { status, headers, body } };
}

function seen(theirs: Parts, nonexistent: Parts = {}): readonly string[] {
  return differences(responseTo(THEIRS, theirs), responseTo(NONEXISTENT, nonexistent));
}

describe('two responses are equal', () => {
  it.each<[string, Parts, Parts]>([
    ['ignores the sent id', {}, {}],
    ['ignores the request id', {}, { requestId: OTHER_REQUEST }],
    ['ignores the date', {}, { date: 'Fri, 02 Jan 2026 03:04:06 GMT' }],
    ['ignores the remaining rate limit', {}, { limits: ['"read";r=8'] }],
    ['ignores the policy of the rate limit', { limits: ['', '"a";q=1'] }, { limits: ['', '"b";q=1'] }],
    [
      'ignores Retry-After',
      { status: 429, after: [['Retry-After', '3']] },
      { status: 429, after: [['Retry-After', '4']] },
    ],
    [
      'ignores the id in a header',
      { after: [['location', `/v1/orders/${THEIRS}`]] },
      { after: [['location', `/v1/orders/${NONEXISTENT}`]] },
    ],
  ])('%s', (_, theirs, nonexistent) => {
    expect(seen(theirs, nonexistent)).toEqual([]);
  });
});

describe('a difference is reported', () => {
  it.each<[string, Parts, Parts]>([
    ['in the status', { status: 403 }, {}],
    ['in an additional header', { after: [['etag', '"1-1"']] }, {}],
    ['in a missing header', {}, { after: [['allow', 'GET']] }],
    [
      'in a duplicate header',
      {
        after: [
          ['vary', 'a'],
          ['vary', 'a'],
        ],
      },
      { after: [['vary', 'a']] },
    ],
    ["in a header's value", { after: [['cache-control', 'no-store']] }, { after: [['cache-control', 'private']] }],
    ["in the spelling of a header's name", { after: [['ETag', '"1"']] }, { after: [['etag', '"1"']] }],
    ['in the order of headers', { before: [['vary', 'a']] }, { after: [['vary', 'a']] }],
    ['in an additional rate-limit header', { limits: ['"read";r=9', '"read";q=10'] }, {}],
    [
      'in a header with a name like that of a rate limit',
      { after: [['ratelimit-reset', '1']] },
      { after: [['ratelimit-reset', '2']] },
    ],
    [
      'in Retry-After of another status',
      { status: 503, after: [['retry-after', '3']] },
      { status: 503, after: [['retry-after', '4']] },
    ],
    ['in a date that is not the Date', { after: [['last-modified', 'x']] }, { after: [['last-modified', 'y']] }],
    ['in one byte of the body', { body: '{"a":1}' }, { body: '{"a":2}' }],
    ['in white space', { body: '{"a":1}' }, { body: '{"a": 1}' }],
    ['in the order of members', { body: '{"a":1,"b":2}' }, { body: '{"b":2,"a":1}' }],
    ['in an additional member', { body: '{"a":1,"b":2}' }, { body: '{"a":1}' }],
    ['in a text that contains a status', { body: '{"detail":"It is paid."}' }, { body: '{"detail":"It is not."}' }],
    ['in an unexpected body', { body: '' }, { body: '{}' }],
    [
      'in another UUID',
      { body: `{"customer_id":"${OTHER_REQUEST}"}` },
      { body: `{"customer_id":"${REQUEST.replace('0b', '0c')}"}` },
    ],
    [
      'in the id in upper case',
      { body: `{"id":"${THEIRS.toUpperCase()}"}` },
      { body: `{"id":"${NONEXISTENT.toUpperCase()}"}` },
    ],
    ['in the id without hyphens', { body: THEIRS.replaceAll('-', '') }, { body: NONEXISTENT.replaceAll('-', '') }],
    ['in the id if the other response has none', { body: `{"id":"${THEIRS}"}` }, { body: '{"id":null}' }],
    ['in the id if the other response has the request id', { body: `["${THEIRS}"]` }, { body: `["${REQUEST}"]` }],
    [
      'in the text of the placeholder',
      { body: `["${THEIRS}"]` },
      { body: '["⟨what was sent⟩"]'.replaceAll(/[⟨⟩]/g, '?') },
    ],
    ['in a malformed request id', { requestId: 'request-1' }, { requestId: 'request-2' }],
  ])('%s', (_, theirs, nonexistent) => {
    expect(seen(theirs, nonexistent)).not.toEqual([]);
  });
});
