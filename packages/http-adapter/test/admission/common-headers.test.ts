import { describe, expect, it } from 'vitest';
import type { ApiResponse } from '../fixtures/a-client.ts';
import { type Api, anApi } from '../fixtures/an-api.ts';
import { at } from '../fixtures/json.ts';
import { head, sendBytes } from '../fixtures/raw-http.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('X-Request-Id', () => {
  const responses: readonly [string, (api: Api, headers: Readonly<Record<string, string>>) => Promise<ApiResponse>][] =
    [
      ['a success', ({ acme }, headers) => acme.get('/v1/orders', headers)],
      ['an unknown path', ({ acme }, headers) => acme.get('/v1/nothing', headers)],
      ['bad credentials', ({ client }, headers) => client().get('/v1/orders', headers)],
      ['a bad parameter', ({ acme }, headers) => acme.get('/v1/orders?limit=0', headers)],
      ['an unreadable URL', (api, headers) => sendBytes(api, head('GET /%zz HTTP/1.1', headers))],
      ['an OPTIONS request', ({ client }, headers) => client().send({ method: 'OPTIONS', url: '/v1/orders', headers })],
    ];

  it('is returned on every response if it is well-formed', async () => {
    const api = await anApi();
    for (const [name, request] of responses)
      for (const id of ['a', 'A-1_b.c', '0'.repeat(128)]) {
        const { headers, body } = await request(api, { 'x-request-id': id });
        expect([name, headers['x-request-id']]).toEqual([name, id]);
        expect([id, undefined]).toContain(at(body, 'request_id'));
      }
  });

  it.each(responses)('is replaced on %s if it is malformed', async (_, request) => {
    const api = await anApi();
    const ids = [];
    for (const id of ['', '0'.repeat(129), 'a b', 'a,b', 'a/b', '{}', 'a"b']) {
      ids.push((await request(api, { 'x-request-id': id })).headers['x-request-id'] ?? '');
    }
    expect(ids.filter((id) => !UUID.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
