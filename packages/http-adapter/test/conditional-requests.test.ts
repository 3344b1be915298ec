import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { NO_ORDER } from './new-orders.ts';

/** Conditions that match version 1, in every valid spelling. */
const MATCHING = [
  '"1-1"',
  '*',
  '"7-1",\t"1-1"',
  '"1-1","2-1"',
  ', "x" ,, "1-1" ,',
  ' "1-1" ',
  '"a,b", "1-1"',
  '"", "1-1"',
];
/** Conditions that do not match version 1. */
const OTHERS = ['"2-1"', '"1-2"', '"1-01"', '"01-1"', '"1"', '"x", "y"', '"11-1"', '"NaN-1"', '"W/1-1"', '"1-1-1"'];
const MALFORMED = [
  '"1-1 "',
  '',
  '1-1',
  '"1-1',
  '1-1"',
  '"1-1" "2-1"',
  '*, "1-1"',
  '"1-1", *',
  'w/"1-1"',
  'W/ "1-1"',
  ',',
  '*\u00a0',
  '"1\t1"',
];

describe('the entity tag', () => {
  it('contains the version and the rendering on every response with one order', async () => {
    const { acme } = await anApi();
    const { url, response } = await acme.place();
    expect(response.headers['etag']).toBe('"1-1"');
    expect((await acme.get(url)).headers['etag']).toBe('"1-1"');
    expect((await acme.patch(url, { status: 'paid' })).headers['etag']).toBe('"2-1"');
    expect((await acme.post(`${url}/cancel`)).headers['etag']).toBe('"3-1"');
    expect((await acme.head(url)).headers['etag']).toBe('"3-1"');
  });

  it('is the same for every client of the owner', async () => {
    const { acme, client, keys } = await anApi();
    const { url } = await acme.place();
    const reader = client(keys.issue({ scopes: ['orders:read'] }));
    expect((await reader.get(url)).headers['etag']).toBe('"1-1"');
  });

  it('is missing from lists, versions, deletions and problems', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const responses = [
      await acme.get('/v1/orders'),
      await acme.get(`${url}/items`),
      await acme.get(`${url}/versions`),
      await acme.get(`${url}/versions/1`),
      await acme.patch(url, { status: 'shipped' }),
      await acme.delete(url),
      await acme.get(url),
    ];
    expect(responses.map(({ headers }) => headers['etag'])).toEqual(responses.map(() => undefined));
  });
});

describe('If-None-Match on a read', () => {
  it.each([...MATCHING, 'W/"1-1"', 'W/"x", W/"1-1"'])('returns 304 without a body for %s', async (tags) => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    for (const response of [
      await acme.get(url, { 'if-none-match': tags }),
      await acme.head(url, { 'if-none-match': tags }),
    ]) {
      expect(response).toMatchObject({ status: 304, text: '' });
      expect(response.headers).toMatchObject({ etag: '"1-1"', 'cache-control': 'private, no-cache' });
      expect(response.headers['vary']).toBe('Authorization, X-API-Key, Accept, API-Version');
      expect(response.headers).not.toHaveProperty('content-type');
    }
  });

  it.each([...OTHERS, 'W/"2-1"'])('returns 200 for %s', async (tags) => {
    const { acme } = await anApi();
    const { url, response } = await acme.place();
    expect(await acme.get(url, { 'if-none-match': tags })).toMatchObject({ status: 200, text: response.text });
  });

  it('returns 404 for a nonexistent order', async () => {
    const { acme } = await anApi();
    expect((await acme.get(`/v1/orders/${NO_ORDER}`, { 'if-none-match': '*' })).status).toBe(404);
  });

  it('is ignored on lists', async () => {
    const { acme } = await anApi();
    expect((await acme.get('/v1/orders', { 'if-none-match': '*' })).status).toBe(200);
  });
});

const WRITES = ['PATCH', 'POST', 'DELETE'] as const;

/** Places an order at version 1, and returns a function that changes it with conditional headers. */
async function anOrderToChange(method: (typeof WRITES)[number]) {
  const { acme } = await anApi();
  const { url } = await acme.place();
  const write = (headers: Readonly<Record<string, string>>) => {
    if (method === 'PATCH') return acme.patch(url, { status: 'paid' }, headers);
    return method === 'POST' ? acme.post(`${url}/cancel`, undefined, headers) : acme.delete(url, headers);
  };
  return { write, read: () => acme.get(url), remove: () => acme.delete(url) };
}

describe.each(WRITES)('a precondition of %s', (method) => {
  const refused = { status: 412, body: { code: 'precondition_failed', current_version: 1 } };
  const success = method === 'DELETE' ? 204 : 200;

  it.each(MATCHING)('holds for If-Match: %s', async (tags) => {
    const { write } = await anOrderToChange(method);
    expect((await write({ 'if-match': tags })).status).toBe(success);
  });

  it.each([...OTHERS, 'W/"1-1"'])('fails for If-Match: %s', async (tags) => {
    const { write, read } = await anOrderToChange(method);
    expect(await write({ 'if-match': tags })).toMatchObject(refused);
    expect((await read()).body).toMatchObject({ version: 1 });
  });

  it.each([...MATCHING, 'W/"1-1"'])('fails for If-None-Match: %s', async (tags) => {
    const { write, read } = await anOrderToChange(method);
    expect(await write({ 'if-none-match': tags })).toMatchObject(refused);
    expect((await read()).body).toMatchObject({ version: 1 });
  });

  it.each(OTHERS)('holds for If-None-Match: %s', async (tags) => {
    const { write } = await anOrderToChange(method);
    expect((await write({ 'if-none-match': tags })).status).toBe(success);
  });

  it('returns 404 for a nonexistent order', async () => {
    const { write, remove } = await anOrderToChange(method);
    await remove();
    expect(await write({ 'if-match': '*' })).toMatchObject({ status: 404, body: { code: 'order_not_found' } });
  });

  it('is ignored if it is a date', async () => {
    const { write } = await anOrderToChange(method);
    expect((await write({ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status).toBe(success);
  });
});

describe('a malformed condition', () => {
  it.each(MALFORMED)('is rejected with the name of its header: %s', async (tags) => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const bad = (field: string) => ({ status: 400, body: { code: 'invalid_header', errors: [{ field }] } });
    expect(await acme.get(url, { 'if-none-match': tags })).toMatchObject(bad('If-None-Match'));
    expect(await acme.patch(url, {}, { 'if-none-match': tags })).toMatchObject(bad('If-None-Match'));
    expect(await acme.patch(url, {}, { 'if-match': tags })).toMatchObject(bad('If-Match'));
  });

  // If a pattern could match the space between two commas in two ways, backtracking would take 2^32 steps.
  it('is rejected without backtracking', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const before = process.threadCpuUsage().user;
    const response = await acme.get(url, { 'if-none-match': `"a"${', '.repeat(32)}x` });
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_header' } });
    // In microseconds.
    expect(process.threadCpuUsage().user - before).toBeLessThan(5_000_000);
  });
});

describe('a change without a condition', () => {
  it('applies to the newest version', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const notes = Array.from({ length: 10 }, (_, index) => `note ${index}`);
    const responses = await Promise.all(notes.map((note) => acme.patch(url, { note })));
    expect(responses.map(({ status }) => status)).toEqual(notes.map(() => 200));
    expect((await acme.get(url)).body).toMatchObject({ version: 11 });
  });
});
