import { describe, expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { NO_ORDER } from '../fixtures/new-orders.ts';

const JSON_TYPE = 'application/json';
const V1 = 'application/vnd.orders.v1+json';

describe('the media type of a success', () => {
  it.each([
    [JSON_TYPE, undefined],
    [JSON_TYPE, '*/*'],
    [JSON_TYPE, 'application/*'],
    [JSON_TYPE, JSON_TYPE],
    [JSON_TYPE, `text/html, application/xhtml+xml, */*;q=0.8`],
    [JSON_TYPE, `${JSON_TYPE}, ${V1}`],
    [JSON_TYPE, `${V1};q=0.5, ${JSON_TYPE}`],
    [JSON_TYPE, `${V1};q=0.5, */*;q=0.9`],
    [JSON_TYPE, `text/*, ${JSON_TYPE};q=0.1`],
    [JSON_TYPE, `nonsense, ${JSON_TYPE}`],
    [V1, V1],
    [V1, `${V1}, ${JSON_TYPE}`],
    [V1, `${JSON_TYPE};q=0.5, ${V1};q=0.6`],
    [V1, `${JSON_TYPE};q=0, */*`],
    [V1, `application/vnd.orders.v2+json, ${V1};q=0.1`],
  ])('is %s for Accept: %s', async (type, accept) => {
    const { acme } = await anApi();
    const headers = accept === undefined ? {} : { accept };
    // Twice, because the choice is cached.
    for (const response of [await acme.get('/v1/orders', headers), await acme.get('/v1/orders', headers)]) {
      expect(response).toMatchObject({ status: 200 });
      expect(response.headers['content-type']?.replace(/;.*/, '')).toBe(type);
      expect(response.headers['vary']).toMatch(/\bAccept\b/);
    }
  });
});

describe('an unacceptable response', () => {
  it.each([
    'text/html',
    'text/*',
    '*/*;q=0',
    `${JSON_TYPE};q=0, ${V1};q=0`,
    'application/vnd.orders.v2+json',
    'application/problem+json',
    'application/json;profile=other',
    'nonsense',
    '',
  ])('is a 406 for Accept: %s', async (accept) => {
    const { acme } = await anApi();
    const response = await acme.get('/v1/orders', { accept });
    expect(response).toMatchObject({ status: 406, body: { code: 'not_acceptable' } });
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.body).toHaveProperty('detail', expect.stringContaining(V1));
  });
});

describe('the media type of a problem', () => {
  it.each([JSON_TYPE, V1, 'application/json, text/html;q=0.5'])('is a 406 for Accept: %s', async (accept) => {
    const { acme, client } = await anApi();
    const responses = [
      await acme.get(`/v1/orders/${NO_ORDER}`, { accept }),
      await acme.get('/v1/orders?limit=0', { accept }),
      await acme.get('/v1/nothing', { accept }),
      await client().get('/v1/orders', { accept }),
      await acme.post('/v1/orders', {}, { accept }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 400, 404, 401, 422]);
    expect(responses.map(({ headers }) => headers['content-type'])).toEqual(
      responses.map(() => 'application/problem+json'),
    );
  });
});
