import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { aNewOrder, NO_ORDER } from './new-orders.ts';

/*
 * RFC 9110 section 13, conditional requests. Musts that do not apply:
 * - 13.1.3 and 13.1.4, what a modification date decides: none is sent, so both headers must be ignored.
 * - 13.1.5 If-Range: there are no ranges, so it must be ignored.
 * - 13.2.2, steps 2 and 5: they need a date or a range.
 * - Lists and deletions send no validator, so no client can have one; their conditions are ignored.
 */

const PAST = 'Thu, 01 Jan 1970 00:00:00 GMT';
const FUTURE = 'Fri, 01 Jan 2100 00:00:00 GMT';

/** An order at version 1, and every method that selects it. */
async function anOrder() {
  const { acme } = await anApi();
  const { url } = await acme.place();
  const methods = {
    GET: (headers: Record<string, string>) => acme.get(url, headers),
    HEAD: (headers: Record<string, string>) => acme.head(url, headers),
    PATCH: (headers: Record<string, string>) => acme.patch(url, { note: 'x' }, headers),
    POST: (headers: Record<string, string>) => acme.post(`${url}/cancel`, undefined, headers),
    DELETE: (headers: Record<string, string>) => acme.delete(url, headers),
  };
  return { acme, url, methods };
}

const METHODS = ['GET', 'HEAD', 'PATCH', 'POST', 'DELETE'] as const;
const WRITES = ['PATCH', 'POST', 'DELETE'] as const;

describe.each(METHODS)('RFC 9110 section 13.1.1: If-Match of %s', (method) => {
  it.each(['"2-1"', 'W/"1-1"', '"2-1", W/"1-1"', '"1"'])('is false, by strong comparison, for %s', async (tags) => {
    const { acme, url, methods } = await anOrder();
    expect((await methods[method]({ 'if-match': tags })).status).toBe(412);
    expect((await acme.get(url)).body).toMatchObject({ version: 1, status: 'pending' });
  });

  it.each(['"1-1"', '*', '"2-1", "1-1"'])('is true for %s', async (tags) => {
    const { methods } = await anOrder();
    expect((await methods[method]({ 'if-match': tags })).status).toBeLessThan(300);
  });
});

describe.each(METHODS)('RFC 9110 section 13.1.2: If-None-Match of %s', (method) => {
  const status = method === 'GET' || method === 'HEAD' ? 304 : 412;

  it.each(['"1-1"', 'W/"1-1"', '*', '"2-1", W/"1-1"'])('is false, by weak comparison, for %s', async (tags) => {
    const { acme, url, methods } = await anOrder();
    expect((await methods[method]({ 'if-none-match': tags })).status).toBe(status);
    expect((await acme.get(url)).body).toMatchObject({ version: 1, status: 'pending' });
  });

  it('is true for another tag', async () => {
    const { methods } = await anOrder();
    expect((await methods[method]({ 'if-none-match': '"2-1"' })).status).toBeLessThan(300);
  });
});

describe.each(METHODS)('RFC 9110 sections 13.1.3 to 13.1.5: %s', (method) => {
  it.each([
    ['if-modified-since', FUTURE],
    ['if-modified-since', 'yesterday'],
    ['if-unmodified-since', PAST],
    ['if-unmodified-since', 'yesterday'],
    ['if-range', '"2-1"'],
    ['if-range', PAST],
  ])('ignores %s: %s, because resources have no date and no range', async (name, value) => {
    const { methods } = await anOrder();
    const ranged: Record<string, string> = name === 'if-range' ? { range: 'bytes=0-1' } : {};
    expect([200, 204]).toContain((await methods[method]({ ...ranged, [name]: value })).status);
  });
});

describe('RFC 9110 section 13.2.1: conditions', () => {
  const failing = { 'if-match': '"9-1"', 'if-none-match': '*' };

  it('are ignored if the response without them is neither a success nor 412', async () => {
    const { acme, client } = await anApi();
    const { url } = await acme.place();
    const none = `/v1/orders/${NO_ORDER}`;
    for (const [response, status] of [
      [await acme.get(none, failing), 404],
      [await acme.patch(none, {}, failing), 404],
      [await acme.delete(none, { 'if-match': '*' }), 404],
      [await client().patch(url, {}, failing), 401],
      [await acme.patch(url, { status: 'lost' }, failing), 422],
      [await acme.patch(url, {}, { ...failing, 'content-type': 'text/plain' }), 415],
    ] as const) {
      expect(response.status).toBe(status);
    }
  });

  it('are ignored by methods that select nothing', async () => {
    const { acme } = await anApi();
    const response = await acme.send({ method: 'OPTIONS', url: '/v1/orders', headers: failing });
    expect(response.status).toBe(204);
    expect((await acme.post('/v1/orders', aNewOrder(), failing)).status).toBe(201);
  });
});

describe('RFC 9110 section 13.2.2: the order of precedence', () => {
  it.each(METHODS)('is If-Match, then If-None-Match: %s', async (method) => {
    const { methods } = await anOrder();
    const read = method === 'GET' || method === 'HEAD';
    expect((await methods[method]({ 'if-match': '"2-1"', 'if-none-match': '"1-1"' })).status).toBe(412);
    expect((await methods[method]({ 'if-match': '"1-1"', 'if-none-match': '"1-1"' })).status).toBe(read ? 304 : 412);
    expect((await methods[method]({ 'if-match': '"1-1"', 'if-none-match': '"2-1"' })).status).toBeLessThan(300);
  });

  it.each(WRITES)('ignores dates if entity tags are present: %s', async (method) => {
    const { methods } = await anOrder();
    const sent = { 'if-match': '"1-1"', 'if-unmodified-since': PAST };
    expect((await methods[method](sent)).status).toBeLessThan(300);
  });

  it('ignores If-Modified-Since if If-None-Match is present', async () => {
    const { methods } = await anOrder();
    expect((await methods.GET({ 'if-none-match': '"2-1"', 'if-modified-since': FUTURE })).status).toBe(200);
  });
});

describe('RFC 9110 section 15.4.5: 304', () => {
  it('has the headers that a 200 would have had, and no content', async () => {
    const { methods } = await anOrder();
    const { headers: whole } = await methods.GET({});
    const { headers, text } = await methods.GET({ 'if-none-match': '*' });
    expect(text).toBe('');
    for (const name of ['etag', 'vary', 'cache-control']) expect(headers[name]).toBe(whole[name]);
  });
});
