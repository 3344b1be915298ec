import { describe, expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { NO_ORDER } from '../fixtures/new-orders.ts';

const JSON_TYPE = 'application/json';
const V1 = 'application/vnd.orders.v1+json';
describe('the media type of a success', () => {
  it.each([
    [JSON_TYPE, ['*/*', 'application/*', JSON_TYPE, `text/html, application/xhtml+xml, */*;q=0.8`]],
    [JSON_TYPE, [`${JSON_TYPE}, ${V1}`, `${V1};q=0.5, ${JSON_TYPE}`, `${V1};q=0.5, */*;q=0.9`]],
    [JSON_TYPE, [`text/*, ${JSON_TYPE};q=0.1`, `nonsense, ${JSON_TYPE}`]],
    [V1, [V1, `${V1}, ${JSON_TYPE}`, `${JSON_TYPE};q=0.5, ${V1};q=0.6`, `${JSON_TYPE};q=0, */*`]],
    [V1, [`application/vnd.orders.v2+json, ${V1};q=0.1`, `${JSON_TYPE};q=0.5;x=y, ${V1}; charset=utf-8; q=0.6`]],
    // What Java's Spring, .NET, Go's Swagger clients and WordPress send.
    [JSON_TYPE, [`${JSON_TYPE}; charset=utf-8`, `${JSON_TYPE};charset=UTF-8, */*;q=0.1`, `${JSON_TYPE};odata=verbose`]],
    [JSON_TYPE, [`text/html;level="1;,", ${JSON_TYPE};profile="a, b";q=0.2`, '', ' ']],
  ])('is %s for Accept: %j', async (type, accepted) => {
    const { acme } = await anApi();
    // Twice, because the choice is cached.
    for (const accept of [...accepted, ...accepted]) {
      const { status, headers } = await acme.get('/v1/orders', { accept });
      expect([accept, status, headers['content-type']?.replace(/;.*/, '')]).toEqual([accept, 200, type]);
      expect(headers['vary']).toMatch(/\bAccept\b/);
    }
  });
});

it('is not needed for a deletion, which has only the type of problems', async () => {
  const { acme } = await anApi();
  for (const accept of ['application/problem+json', 'text/html, Application/Problem+JSON;q=0.9']) {
    expect((await acme.delete((await acme.place()).url, { accept })).status).toBe(204);
  }
});

describe('an unacceptable response', () => {
  const REFUSED = [
    'text/html',
    'text/*',
    '*/*;q=0',
    `${JSON_TYPE};q=0, ${V1};q=0`,
    'nonsense',
    `${JSON_TYPE};charset=utf-8;q=0`,
  ];
  const OTHERS = ['application/vnd.orders.v2+json', 'application/problem+json', 'text/html; charset=utf-8'];

  it('is a 406 with the media types that are available', async () => {
    const { acme } = await anApi();
    for (const accept of [...REFUSED, ...OTHERS]) {
      const response = await acme.get('/v1/orders', { accept });
      expect({ accept, ...response }).toMatchObject({ accept, status: 406, body: { code: 'not_acceptable' } });
      expect(response.headers['content-type']).toBe('application/problem+json');
      expect(response.body).toHaveProperty('detail', expect.stringContaining(V1));
    }
  });
});

describe('the media type of a problem', () => {
  it.each([JSON_TYPE, V1])('is the same whatever is accepted: %s', async (accept) => {
    const { acme, client } = await anApi();
    const responses = [
      await acme.get(`/v1/orders/${NO_ORDER}`, { accept }),
      await acme.get('/v1/orders?limit=0', { accept }),
      await acme.get('/v1/nothing', { accept }),
      await client().get('/v1/orders', { accept }),
      await acme.post('/v1/orders', {}, { accept }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 400, 404, 401, 422]);
    for (const { headers } of responses) expect(headers['content-type']).toBe('application/problem+json');
  });
});
