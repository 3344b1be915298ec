import { describe, expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { at, listAt, textAt } from '../fixtures/json.ts';
import { aNewItem } from '../fixtures/new-orders.ts';
import { anApiWithOrders, nextUrl, references, walk } from '../fixtures/pages.ts';
import { head, sendBytes } from '../fixtures/raw-http.ts';

/*
 * RFC 8288, links. Musts that do not apply:
 * - section 2.1.2, extension relation types: next and deprecation are registered.
 * - sections 3.2 and 3.4, anchor, hreflang, media and title: no link has them.
 * - section 3 and appendix B, what a parser must do: this is the server.
 */

describe('a page', () => {
  it('has twenty orders by default, the newest first', async () => {
    const { acme } = await anApiWithOrders(21);
    const page = await acme.get('/v1/orders');
    expect(references(page)).toEqual(Array.from({ length: 20 }, (_, index) => `A-${21 - index}`));
    const next_cursor = textAt(page.body, 'page', 'next_cursor');
    expect(at(page.body, 'page')).toEqual({ limit: 20, has_more: true, next_cursor });
    expect(nextUrl(page)).toBe(`/v1/orders?after=${next_cursor}`);
  });

  it.each([0, 2])('is the last one if it ends exactly at the last of %i orders', async (count) => {
    const { acme } = await anApiWithOrders(count);
    const page = await acme.get('/v1/orders?limit=2');
    expect(at(page.body, 'page')).toEqual({ limit: 2, has_more: false, next_cursor: null });
    expect(page.headers).not.toHaveProperty('link');
  });

  it('can be sorted, over all pages', async () => {
    const { acme } = await anApiWithOrders(3);
    const { body } = await acme.get('/v1/orders?reference=A-2');
    await acme.patch(`/v1/orders/${textAt(body, 'data', 0, 'id')}`, { status: 'paid' });
    const pages = await walk(acme, '/v1/orders?limit=1&sort=updated_at');
    expect(pages.flatMap(references)).toEqual(['A-1', 'A-3', 'A-2']);
    expect(pages.map((page) => at(page.body, 'page', 'has_more'))).toEqual([true, true, false]);
  });

  it('skips an offset and returns it, with a cursor for the next page', async () => {
    const { acme } = await anApiWithOrders(5);
    const page = await acme.get('/v1/orders?offset=1&limit=2');
    const next_cursor = textAt(page.body, 'page', 'next_cursor');
    expect(references(page)).toEqual(['A-4', 'A-3']);
    expect(at(page.body, 'page')).toEqual({ limit: 2, offset: 1, has_more: true, next_cursor });
    expect((await walk(acme, nextUrl(page) ?? '')).flatMap(references)).toEqual(['A-2', 'A-1']);
    expect((await acme.get('/v1/orders?offset=10000')).body).toMatchObject({ data: [], page: { offset: 10_000 } });
  });

  it('has items of an order in line order', async () => {
    const { acme } = await anApi();
    const skus = ['D', 'A', 'C', 'B', 'E'];
    const { url } = await acme.place({ items: skus.map((sku) => aNewItem({ sku })) });
    const pages = await walk(acme, `${url}/items?limit=2`);
    expect(pages.flatMap(({ body }) => listAt(body, 'data').map((item) => at(item, 'sku')))).toEqual(skus);
    const page = await acme.get(`${url}/items?offset=3`);
    expect(page.body).toMatchObject({ data: [{ sku: 'B' }, { sku: 'E' }], page: { offset: 3, has_more: false } });
  });
});

describe('the link to the next page', () => {
  it.each([
    ['/v1/orders?sort=created_at&limit=1&status=pending', '/v1/orders?sort=created_at&limit=1&status=pending&'],
    ['/v1/orders?&&limit=1&', '/v1/orders?limit=1&'],
    ['/v1/orders?offset=1&limit=1', '/v1/orders?limit=1&'],
    ['/v1/orders?%6fffset=1&limit=1', '/v1/orders?limit=1&'],
    ['/v1/orders?status=pending%2Cpaid&%6cimit=1', '/v1/orders?status=pending%2Cpaid&%6cimit=1&'],
    ['/v1/orders?status=paid&limit=1&status=pending', '/v1/orders?status=paid&limit=1&status=pending&'],
    ['/orders?limit=1', '/orders?limit=1&'],
    // It is a path even if the request has an absolute target.
    ['http://evil.test/v1/orders?limit=1', '/v1/orders?limit=1&'],
  ])('has the path and query of %s, and continues after the cursor', async (url, start) => {
    const api = await anApiWithOrders(3);
    const page = await sendBytes(api, head(`GET ${url} HTTP/1.1`, { 'X-API-Key': api.keys.issue() }));
    const next = `${start}after=${textAt(page.body, 'page', 'next_cursor')}`;
    expect(page.headers['link']).toBe(`<${next}>; rel="next"`);
    expect((await api.acme.get(next)).status).toBe(200);
  });

  it('replaces the cursor of the request', async () => {
    const { acme } = await anApiWithOrders(4);
    const pages = await walk(acme, '/v1/orders?limit=1');
    const links = pages.flatMap((page) => nextUrl(page) ?? []);
    expect(links.map((link) => link.replace(/=[\w-]+$/, '='))).toEqual(Array(3).fill('/v1/orders?limit=1&after='));
    expect(pages.flatMap(references)).toEqual(['A-4', 'A-3', 'A-2', 'A-1']);
  });

  it('has no part of the request that can escape from its target', async () => {
    const api = await anApiWithOrders(2);
    const key = { 'X-API-Key': api.keys.issue() };
    for (const query of ['status=pending,paid%3E%3B%20rel%3D%22evil%22', '&>;rel="evil"&<']) {
      const page = await sendBytes(api, head(`GET /v1/orders?limit=1&${query} HTTP/1.1`, key));
      expect([page.status, page.headers['link']]).toEqual([400, undefined]);
    }
  });
});
