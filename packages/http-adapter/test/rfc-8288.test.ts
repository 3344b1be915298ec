import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { at } from './json.ts';
import { anApiWithOrders, nextUrl } from './pages.ts';
import { head, sendBytes } from './raw-http.ts';

/*
 * RFC 8288, links. Musts that do not apply:
 * - section 2.1.2, extension relation types: next and deprecation are registered.
 * - sections 3.2 and 3.4, anchor, hreflang, media and title: no link has them.
 * - section 3 and appendix B, what a parser must do: this is the server.
 */

/** Matches one link value: the target in angle brackets, then the parameters. */
const LINK = /^<([^<>\s"]+)>((?:; [a-z]+="[^"]*")+)$/;

const deprecations = {
  list_orders: { since: '2026-01-01', sunset: '2027-01-01', link: 'https://docs.example.test/changes' },
};

describe('RFC 8288', () => {
  it.each([
    ['/v1/orders?limit=1', {}],
    ['/v1/orders?limit=1&status=pending%2Cpaid', {}],
    ['/orders?limit=1&sort=created_at', {}],
    ['/v1/orders?limit=1', { deprecations }],
  ])('section 3: each link of %s has one target and one relation', async (url, wanted) => {
    const { acme } = await anApiWithOrders(2, wanted);
    const links = (await acme.get(url)).headers['link']?.split(', ') ?? [];
    expect(links).toHaveLength('deprecations' in wanted ? 2 : 1);
    for (const link of links) {
      const [, target = '', parameters = ''] = LINK.exec(link) ?? [];
      expect(URL.canParse(target, 'https://api.example.test')).toBe(true);
      expect(parameters.match(/; rel=/g)).toHaveLength(1);
      expect(parameters).toMatch(/; rel="(next|deprecation)"/);
    }
  });

  it('section 3.1: a target is relative to the request', async () => {
    const api = await anApiWithOrders(2);
    const key = { 'X-API-Key': api.keys.issue() };
    const page = await sendBytes(api, head('GET http://orders.test/v1/orders?limit=1 HTTP/1.1', key));
    const next = new URL(nextUrl(page) ?? '', 'http://orders.test/v1/orders?limit=1');
    expect(next.origin).toBe('http://orders.test');
    expect((await api.acme.get(`${next.pathname}${next.search}`)).body).toMatchObject({ page: { has_more: false } });
  });

  it('section 3.2: the context of a link is the requested resource, so HEAD has those of GET', async () => {
    const { acme } = await anApiWithOrders(2);
    const url = '/v1/orders?limit=1';
    expect((await acme.head(url)).headers['link']).toBe((await acme.get(url)).headers['link']);
  });

  it('section 3.3: next is the following page, and is absent on the last one', async () => {
    const { acme } = await anApiWithOrders(2);
    const first = await acme.get('/v1/orders?limit=1');
    const second = await acme.get(nextUrl(first) ?? '');
    expect(at(first.body, 'data', 0, 'reference')).toBe('A-2');
    expect(at(second.body, 'data', 0, 'reference')).toBe('A-1');
    expect(second.headers).not.toHaveProperty('link');
  });

  it('section 5: no part of the request can escape from a target', async () => {
    const { acme } = await anApi();
    await Promise.all([acme.place(), acme.place()]);
    const bad = '/v1/orders?limit=1&status=pending,paid%3E%3B%20rel%3D%22evil%22';
    expect((await acme.get(bad)).headers).not.toHaveProperty('link');
    const api = await anApiWithOrders(2);
    const key = { 'X-API-Key': api.keys.issue() };
    const page = await sendBytes(api, head('GET /v1/orders?limit=1&&>;rel="evil"&< HTTP/1.1', key));
    expect(page.status).toBe(400);
  });
});
