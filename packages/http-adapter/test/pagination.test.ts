import { PAGE_JSON_BYTES_MAX } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { at, listAt, textAt } from './json.ts';
import { aNewItem } from './new-orders.ts';
import { anApiWithOrders, nextUrl, references, walk } from './pages.ts';
import { head, sendBytes } from './raw-http.ts';

describe('a page', () => {
  it('is empty and the last one if no orders exist', async () => {
    const { acme } = await anApi();
    const page = await acme.get('/v1/orders');
    expect(page).toMatchObject({ status: 200 });
    expect(page.body).toEqual({ data: [], page: { limit: 20, has_more: false, next_cursor: null } });
    expect(page.headers).not.toHaveProperty('link');
  });

  it('has twenty orders by default, the newest first', async () => {
    const { acme } = await anApiWithOrders(21);
    const page = await acme.get('/v1/orders');
    expect(references(page)).toEqual(Array.from({ length: 20 }, (_, index) => `A-${21 - index}`));
    const next_cursor = textAt(page.body, 'page', 'next_cursor');
    expect(at(page.body, 'page')).toEqual({ limit: 20, has_more: true, next_cursor });
    expect(nextUrl(page)).toBe(`/v1/orders?after=${next_cursor}`);
  });

  it('is the last one if it ends exactly at the last order', async () => {
    const { acme } = await anApiWithOrders(2);
    const page = await acme.get('/v1/orders?limit=2');
    expect(at(page.body, 'page')).toEqual({ limit: 2, has_more: false, next_cursor: null });
  });

  it('can have up to a hundred orders', async () => {
    const { acme } = await anApiWithOrders(3);
    expect(at((await acme.get('/v1/orders?limit=100')).body, 'page', 'limit')).toBe(100);
    expect(references(await acme.get('/v1/orders?limit=1'))).toEqual(['A-3']);
  });

  it.each([
    ['created_at', ['A-1', 'A-2', 'A-3']],
    ['-created_at', ['A-3', 'A-2', 'A-1']],
    ['updated_at', ['A-1', 'A-3', 'A-2']],
    ['-updated_at', ['A-2', 'A-3', 'A-1']],
  ])('can be sorted by %s, over all its pages', async (sort, expected) => {
    const { acme } = await anApiWithOrders(3);
    const { body } = await acme.get('/v1/orders?reference=A-2');
    await acme.patch(`/v1/orders/${textAt(body, 'data', 0, 'id')}`, { status: 'paid' });
    expect((await walk(acme, `/v1/orders?limit=1&sort=${sort}`)).flatMap(references)).toEqual(expected);
  });

  it('ends early when its orders have a thousand items in total', async () => {
    const { acme } = await anApi();
    const items = Array.from({ length: 100 }, () => aNewItem());
    for (let count = 1; count <= 11; count += 1) await acme.place({ items });
    const pages = await walk(acme, '/v1/orders');
    expect(pages.map(({ body }) => listAt(body, 'data').length)).toEqual([10, 1]);
    expect(at(pages[0]?.body, 'page', 'has_more')).toBe(true);
  });
});

describe('the largest page of orders', () => {
  // A character that JSON escapes with six bytes.
  const long = (length: number) => '\u0001'.repeat(length);

  it('has at most PAGE_JSON_BYTES_MAX bytes, and not much less', async () => {
    const { acme } = await anApi();
    const items = Array.from({ length: 10 }, () => aNewItem({ sku: long(64), name: long(255), quantity: 1_000_000 }));
    // The rest of the limit of free text, after the notes.
    const metadata = { k: 'x'.repeat(500) };
    for (let count = 0; count <= 100; count += 1) {
      const reference = long(61) + String(count).padStart(3, '0');
      const { id } = await acme.place({ items, metadata, reference, note: long(2000) });
      await acme.post(`/v1/orders/${id}/cancel`, { reason: long(500) });
    }
    const { body } = await acme.get('/v1/orders?limit=100');
    expect(listAt(body, 'data')).toHaveLength(100);
    expect(at(body, 'page', 'has_more')).toBe(true);
    const bytes = Buffer.byteLength(JSON.stringify(listAt(body, 'data')));
    expect(bytes).toBeLessThanOrEqual(PAGE_JSON_BYTES_MAX);
    // Orders with forty statuses need the rest.
    expect(bytes).toBeGreaterThan(0.8 * PAGE_JSON_BYTES_MAX);
  });

  it('ends early when its notes and metadata have 256 KiB in total', async () => {
    const { acme } = await anApi();
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, '😀'.repeat(500)]));
    for (let count = 0; count < 5; count += 1) await acme.place({ metadata });
    const pages = await walk(acme, '/v1/orders?limit=100');
    expect(pages.map(({ body }) => listAt(body, 'data').length)).toEqual([2, 2, 1]);
  });
});

describe('walking by cursor', () => {
  it('returns every order once, also those of the same millisecond', async () => {
    const { acme } = await anApi();
    const placed = await Promise.all(Array.from({ length: 7 }, () => acme.place()));
    const seen = (await walk(acme, '/v1/orders?limit=2')).flatMap(({ body }) =>
      listAt(body, 'data').map((order) => textAt(order, 'id')),
    );
    // Concurrent requests get their ids in any order.
    expect(seen.toSorted()).toEqual(placed.map(({ id }) => id).toSorted());
  });

  it('continues at its position when orders are added and deleted, including that of the cursor', async () => {
    const { acme, clock } = await anApiWithOrders(5);
    const first = await acme.get('/v1/orders?limit=2');
    await acme.delete(`/v1/orders/${textAt(first.body, 'data', 1, 'id')}`);
    clock.advance(1000);
    await acme.place({ reference: 'A-6' });
    expect((await walk(acme, nextUrl(first) ?? '')).flatMap(references)).toEqual(['A-3', 'A-2', 'A-1']);
  });

  it('allows another limit for each page', async () => {
    const { acme } = await anApiWithOrders(5);
    const cursor = textAt((await acme.get('/v1/orders?limit=1')).body, 'page', 'next_cursor');
    expect(references(await acme.get(`/v1/orders?limit=3&after=${cursor}`))).toEqual(['A-4', 'A-3', 'A-2']);
  });

  it('distinguishes the last page by has_more', async () => {
    const { acme } = await anApiWithOrders(3);
    const pages = await walk(acme, '/v1/orders?limit=1');
    expect(pages.map(({ body }) => at(body, 'page', 'has_more'))).toEqual([true, true, false]);
    expect(at(pages[2]?.body, 'page', 'next_cursor')).toBeNull();
  });
});

describe('the link to the next page', () => {
  it.each([
    ['/v1/orders?limit=1', '/v1/orders?limit=1&'],
    ['/v1/orders?sort=created_at&limit=1&status=pending', '/v1/orders?sort=created_at&limit=1&status=pending&'],
    ['/v1/orders?&&limit=1&', '/v1/orders?limit=1&'],
    ['/v1/orders?offset=1&limit=1', '/v1/orders?limit=1&'],
    ['/v1/orders?%6fffset=1&limit=1', '/v1/orders?limit=1&'],
    ['/v1/orders?status=pending%2Cpaid&%6cimit=1', '/v1/orders?status=pending%2Cpaid&%6cimit=1&'],
  ])('has the path and query of %s, and continues after the cursor', async (url, start) => {
    const { acme } = await anApiWithOrders(3);
    const page = await acme.get(url);
    expect(nextUrl(page)).toBe(`${start}after=${textAt(page.body, 'page', 'next_cursor')}`);
  });

  it('replaces the cursor of the request', async () => {
    const { acme } = await anApiWithOrders(4);
    const pages = await walk(acme, '/v1/orders?limit=1');
    const links = pages.flatMap((page) => nextUrl(page) ?? []);
    expect(links.map((link) => link.replace(/=[\w-]+$/, '='))).toEqual(Array(3).fill('/v1/orders?limit=1&after='));
    expect(pages.flatMap(references)).toEqual(['A-4', 'A-3', 'A-2', 'A-1']);
  });

  it('is a path even if the request has an absolute target', async () => {
    const api = await anApiWithOrders(2);
    const headers = { 'X-API-Key': api.keys.issue() };
    const page = await sendBytes(api, head('GET http://evil.test/v1/orders?limit=1 HTTP/1.1', headers));
    expect(nextUrl(page)).toMatch(/^\/v1\/orders\?limit=1&after=/);
  });
});

describe('paging by offset', () => {
  it('skips the offset and returns it, with a cursor for the next page', async () => {
    const { acme } = await anApiWithOrders(5);
    const page = await acme.get('/v1/orders?offset=1&limit=2');
    const next_cursor = textAt(page.body, 'page', 'next_cursor');
    expect(references(page)).toEqual(['A-4', 'A-3']);
    expect(at(page.body, 'page')).toEqual({ limit: 2, offset: 1, has_more: true, next_cursor });
    expect((await walk(acme, nextUrl(page) ?? '')).flatMap(references)).toEqual(['A-2', 'A-1']);
  });

  it.each([0, 3, 10_000])('accepts an offset of %i', async (offset) => {
    const { acme } = await anApiWithOrders(3);
    const page = await acme.get(`/v1/orders?offset=${offset}`);
    expect(references(page)).toHaveLength(Math.max(0, 3 - offset));
    expect(at(page.body, 'page')).toEqual({ limit: 20, offset, has_more: false, next_cursor: null });
  });
});

describe('the items of an order', () => {
  it('are returned in pages, in line order', async () => {
    const { acme } = await anApi();
    const skus = ['D', 'A', 'C', 'B', 'E'];
    const { url } = await acme.place({ items: skus.map((sku) => aNewItem({ sku })) });
    const pages = await walk(acme, `${url}/items?limit=2`);
    expect(pages.flatMap(({ body }) => listAt(body, 'data').map((item) => at(item, 'sku')))).toEqual(skus);
    expect(pages.map(({ body }) => at(body, 'page', 'has_more'))).toEqual([true, true, false]);
    const page = await acme.get(`${url}/items?offset=3`);
    expect(page.body).toMatchObject({ data: [{ sku: 'B' }, { sku: 'E' }], page: { offset: 3, has_more: false } });
  });
});
