import type { Deprecation } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { aNewOrder, NO_ORDER } from '../fixtures/new-orders.ts';
import { walk } from '../fixtures/pages.ts';

/*
 * RFC 9745, Deprecation, and RFC 8594, Sunset. Musts that do not apply:
 * - RFC 9745 section 2.1, what recipients make of the date: this is the server.
 * - RFC 8594 section 5, a sunset of several resources: each operation has its own.
 * - RFC 8594 section 6, the link relation sunset: optional; the link says deprecation.
 */

const LINK = 'https://docs.example.test/changes';
/** The clock of these tests shows 2026-01-02T03:04:05.678Z. */
const CURRENT: Deprecation = { since: '2026-01-02', sunset: '2027-01-02', link: LINK };
const RETIRED: Deprecation = { since: '2025-01-02', sunset: '2026-01-02', link: LINK };
const HEADERS = {
  deprecation: '@1767312000',
  sunset: 'Sat, 02 Jan 2027 00:00:00 GMT',
  link: `<${LINK}>; rel="deprecation"; type="text/html"`,
};

describe('a deprecated operation', () => {
  it('works, with the headers Deprecation, Sunset and Link', async () => {
    const { acme } = await anApi({ deprecations: { get_order: CURRENT } });
    const { url } = await acme.place();
    for (const response of [await acme.get(url), await acme.head(url), await acme.get(url.replace('/v1', ''))]) {
      expect(response).toMatchObject({ status: 200, headers: HEADERS });
    }
    expect(await acme.get(url, { 'if-none-match': '*' })).toMatchObject({ status: 304, headers: HEADERS });
  });

  it('has the same headers on every problem', async () => {
    const { acme, client } = await anApi({ deprecations: { get_order: CURRENT } });
    const responses = [
      await acme.get(`/v1/orders/${NO_ORDER}`),
      await acme.get('/v1/orders/x'),
      await client().get('/v1/orders/x'),
      await acme.get('/v1/orders/x', { accept: 'text/html' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 400, 401, 406]);
    expect(responses).toMatchObject(responses.map(() => ({ headers: HEADERS })));
  });

  it('keeps the link to the next page', async () => {
    const { acme } = await anApi({ deprecations: { list_orders: CURRENT } });
    await Promise.all([acme.place(), acme.place()]);
    const { headers, body } = await acme.get('/v1/orders?limit=1');
    expect(body).toMatchObject({ page: { has_more: true } });
    expect(headers['link']).toMatch(/^<[^>]+>; rel="deprecation"; type="text\/html", <[^>]+>; rel="next"$/);
    expect((await acme.get('/v1/orders')).headers['link']).toBe(HEADERS.link);
  });

  it('does not affect other operations', async () => {
    const { acme } = await anApi({ deprecations: { list_orders: CURRENT } });
    const { url, response } = await acme.place();
    for (const other of [response, await acme.get(url), ...(await walk(acme, `${url}/items`))]) {
      expect(other.headers).not.toHaveProperty('deprecation');
      expect(other.headers).not.toHaveProperty('sunset');
      expect(other.headers).not.toHaveProperty('link');
    }
  });
});

describe('a deprecated operation after its sunset', () => {
  it('is rejected from the start of the sunset day', async () => {
    const sunset = '2027-01-03';
    const { acme, clock } = await anApi({ deprecations: { place_order: { ...CURRENT, sunset } } });
    const left = Date.parse(`${sunset}T00:00:00.000Z`) - clock.now().getTime();
    clock.advance(left - 1);
    expect((await acme.post('/v1/orders', aNewOrder())).status).toBe(201);
    clock.advance(1);
    expect((await acme.post('/v1/orders', aNewOrder())).status).toBe(410);
    expect((await acme.get('/v1/orders')).body).toMatchObject({ data: [{ version: 1 }], page: { has_more: false } });
  });

  it('is rejected with a link to documentation before any other check', async () => {
    const { acme, client } = await anApi({ deprecations: { list_orders: RETIRED } });
    const gone = {
      status: 410,
      headers: { deprecation: '@1735776000', sunset: 'Fri, 02 Jan 2026 00:00:00 GMT', link: HEADERS.link },
      body: {
        code: 'version_retired',
        detail: `This operation was supported until 2026-01-02. ${LINK} describes its replacement.`,
      },
    };
    expect(await acme.get('/v1/orders')).toMatchObject(gone);
    expect(await acme.get('/orders?limit=0', { accept: 'text/html' })).toMatchObject(gone);
    expect(await client().get('/v1/orders')).toMatchObject(gone);
    expect((await acme.place()).response.status).toBe(201);
  });
});

describe('a deprecation', () => {
  it.each([
    ['2024-02-29', '2025-03-01', '@1709164800', 'Sat, 01 Mar 2025 00:00:00 GMT'],
    ['2030-12-31', '2040-01-01', '@1924905600', 'Sun, 01 Jan 2040 00:00:00 GMT'],
  ])('may last from %s to %s', async (since, sunset, deprecation, date) => {
    const { acme } = await anApi({ deprecations: { list_orders: { since, sunset, link: LINK } } });
    expect((await acme.get('/v1/orders')).headers).toMatchObject({ deprecation, sunset: date });
  });

  it.each([
    ['less than twelve months', '2026-01-02', '2027-01-01'],
    ['an end before the start', '2026-01-02', '2025-01-02'],
    ['a nonexistent start date', '2026-02-30', '2028-01-01'],
    ['a start in words', 'January', '2028-01-01'],
    ['a time instead of a date', '2026-01-02T00:00:00.500Z', '2028-01-01'],
  ])('is rejected at registration: %s', async (_, since, sunset) => {
    await expect(anApi({ deprecations: { list_orders: { since, sunset, link: LINK } } })).rejects.toThrow(RangeError);
  });

  it('is rejected for an unknown operation', async () => {
    await expect(anApi({ deprecations: { list_order: CURRENT } })).rejects.toThrow(/list_order\b/);
  });
});
