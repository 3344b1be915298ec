import { ERROR_CATALOG } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import { anApi, BASE_URL } from '../fixtures/an-api.ts';
import { listAt, textAt } from '../fixtures/json.ts';

const CATALOG = Object.entries(ERROR_CATALOG);
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('the page of a problem', () => {
  it('is served at its type, as HTML and as JSON', async () => {
    const { app, client } = await anApi();
    for (const [code, { status, title }] of CATALOG) {
      const url = `/problems/${code.replaceAll('_', '-')}`;
      const { body, headers } = await client().get(url, { accept: 'application/json' });
      expect(body).toEqual({
        type: `${BASE_URL}${url}`,
        title,
        status,
        code,
        description: textAt(body, 'description'),
      });
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'public, max-age=60, must-revalidate, no-transform',
      });
      expect((await client().get(`/problems/${code}`, { accept: 'application/json' })).body).toEqual(body);
      const page = await app.inject({ url, headers: { accept: BROWSER } });
      expect(page.statusCode).toBe(200);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      const text = page.payload
        .replaceAll(/<\/?code>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>');
      const words = textAt(body, 'description').replaceAll('`', '');
      const [happened = '', remedy = ''] = [...text.matchAll(/<\/h2>\n<p>(.*)<\/p>/g)].map(([, found]) => found);
      expect(`${happened} ${remedy}`).toBe(words);
      expect(happened).toMatch(/^[A-Z].+\.$/);
      expect(remedy).toMatch(/^[A-Z].+\.$/);
      expect(text).toContain(`<h1>${title}</h1>`);
      expect(text).toContain(`Status ${status}, code ${code}`);
    }
  });

  it.each([
    ['*/*', 'text/html'],
    ['application/*', 'application/json'],
    ['text/html;q=0.1, application/json', 'application/json'],
    ['text/html;q=0, */*', 'application/json'],
  ])('is returned for Accept: %s as %s', async (accept, type) => {
    const { app } = await anApi();
    const headers = { accept };
    const response = await app.inject({ url: '/problems/not-found', headers });
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, `${type}; charset=utf-8`]);
    const head = await app.inject({ method: 'HEAD', url: '/problems/not-found', headers });
    expect([head.statusCode, head.payload, head.headers['content-type']]).toEqual([200, '', `${type}; charset=utf-8`]);
  });

  it('is 406 when none of its media types is accepted', async () => {
    const { client } = await anApi();
    for (const url of ['/problems/not-found', '/problems']) {
      expect(await client().get(url, { accept: 'image/png' })).toMatchObject({
        status: 406,
        body: { code: 'not_acceptable', detail: 'Accept must allow text/html or application/json.' },
      });
    }
  });

  it.each(['unheard-of', 'Not-Found', 'constructor', '', '%2e%2e', 'not-found/x'])(
    'is not there for "%s"',
    async (name) => {
      const { client } = await anApi();
      const response = await client().get(`/problems/${name}`);
      expect(response).toMatchObject({ status: 404, body: { code: 'not_found' } });
    },
  );
});

describe('the list of problems', () => {
  it('contains all codes, each with a link to its page', async () => {
    const { app, client } = await anApi();
    const { body } = await client().get('/problems', { accept: 'application/json' });
    expect(listAt(body, 'data').map((each) => textAt(each, 'code'))).toEqual(CATALOG.map(([code]) => code));
    const page = await app.inject('/problems');
    const links = [...page.payload.matchAll(/href="(problems\/[^"]+)"/g)].map(([, link]) => `${BASE_URL}/${link}`);
    expect(links).toEqual(listAt(body, 'data').map((each) => textAt(each, 'type')));
  });
});
