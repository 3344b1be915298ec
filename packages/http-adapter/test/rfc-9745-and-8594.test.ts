import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { NO_ORDER } from './new-orders.ts';

/*
 * RFC 9745, Deprecation, and RFC 8594, Sunset. Musts that do not apply:
 * - RFC 9745 section 2.1, what recipients make of the date: this is the server.
 * - RFC 8594 section 5, a sunset of several resources: each operation has its own.
 * - RFC 8594 section 6, the link relation sunset: optional; the link says deprecation.
 */

const DATE = /^@(0|[1-9][0-9]*)$/;
const IMF_FIXDATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const link = 'https://docs.example.test/changes';

/** Returns the headers of an operation with a deprecation of this period. */
async function headersOf(since: string, sunset: string) {
  const { acme } = await anApi({ deprecations: { get_order: { since, sunset, link } } });
  return (await acme.get(`/v1/orders/${NO_ORDER}`)).headers;
}

const PERIODS = [
  ['2026-01-01', '2027-01-01'],
  ['2024-02-29', '2025-03-01'],
  ['2030-12-31', '2040-01-01'],
  ['2020-05-01', '2021-05-01'],
] as const;

describe.each(PERIODS)('a deprecation from %s to %s', (since, sunset) => {
  it('RFC 9745 section 2.1: is a structured field date in whole seconds', async () => {
    const { deprecation = '' } = await headersOf(since, sunset);
    expect(deprecation).toMatch(DATE);
    expect(new Date(Number(deprecation.slice(1)) * 1000).toISOString()).toBe(`${since}T00:00:00.000Z`);
  });

  it('RFC 9745 section 3: has a link to its documentation with the relation deprecation', async () => {
    const headers = await headersOf(since, sunset);
    expect(headers['link']).toMatch(new RegExp(`^<${link}>; rel="deprecation"`));
  });

  it('RFC 9745 section 4: does not end before it begins', async () => {
    const headers = await headersOf(since, sunset);
    const begin = Number((headers['deprecation'] ?? '').slice(1)) * 1000;
    expect(Date.parse(headers['sunset'] ?? '')).toBeGreaterThan(begin);
  });

  it('RFC 8594 section 3: ends at an HTTP date', async () => {
    const headers = await headersOf(since, sunset);
    expect(headers['sunset']).toMatch(IMF_FIXDATE);
    expect(new Date(headers['sunset'] ?? '').toISOString()).toBe(`${sunset}T00:00:00.000Z`);
  });
});

describe('RFC 9745 section 4', () => {
  it('forbids a sunset before the deprecation, which is rejected at registration', async () => {
    await expect(headersOf('2026-01-02', '2026-01-01')).rejects.toThrow(RangeError);
  });
});

describe('RFC 9745 section 5', () => {
  it('a deprecation does not change the behaviour of an operation', async () => {
    const responses = [];
    for (const deprecations of [{}, { get_order: { since: '2026-01-01', sunset: '2027-01-01', link } }]) {
      const { acme } = await anApi({ deprecations });
      responses.push((await acme.get((await acme.place()).url)).text);
    }
    expect(responses[1]).toBe(responses[0]);
  });
});
