import { describe, expect, it } from 'vitest';
import { type ApiResponse, type Client, undated } from '../../fixtures/a-client.ts';
import { anApi } from '../../fixtures/an-api.ts';
import { at, textAt } from '../../fixtures/json.ts';
import { aNewItem, aNewOrder } from '../../fixtures/new-orders.ts';

const NOW = '2026-01-02T03:04:05.678Z';
const JSON_TYPE = { 'content-type': 'application/json' };
const SAME = { 'x-request-id': 'the-same' };

// default-responses.txt records the responses to the operations on an order.
describe('an order', () => {
  it('has every key of the metadata, however unusual', async () => {
    const { acme } = await anApi();
    const odd =
      '{"__proto__":"1","constructor":"2","toString":"3","a.b":"4","line\\nbreak":"5","\u2028":"6","ключ":"7"}';
    const payload = `{"items":[${JSON.stringify(aNewItem())}],"metadata":${odd}}`;
    const created = await acme.send({ method: 'POST', url: '/v1/orders', headers: JSON_TYPE, payload });
    expect(created.status).toBe(201);
    expect(at(created.body, 'metadata')).toStrictEqual(JSON.parse(odd));
    const url = created.headers['location'] ?? '';
    expect((await acme.get(url)).text).toBe(created.text);
    const patch = '{"metadata":{"__proto__":null,"constructor":"g","toString":null,"a/b":"e"}}';
    const changed = await acme.send({ method: 'PATCH', url, headers: JSON_TYPE, payload: patch });
    const merged = '{"a.b":"4","line\\nbreak":"5","\u2028":"6","ключ":"7","constructor":"g","a/b":"e"}';
    expect(at(changed.body, 'metadata')).toStrictEqual(JSON.parse(merged));
  });

  it('is found by its id in upper case, and is the same in a list', async () => {
    const { acme } = await anApi();
    const { id, response } = await acme.place();
    expect((await acme.get(`/v1/orders/${id.toUpperCase()}`)).text).toBe(response.text);
    expect(at((await acme.get('/v1/orders')).body, 'data')).toEqual([response.body]);
  });

  it.each(['application/merge-patch+json', 'application/json', 'application/json; charset="UTF-8"'])(
    'is changed by a merge patch as %s',
    async (type) => {
      const { acme, clock } = await anApi();
      const { url } = await acme.place({ note: 'Ring twice', metadata: { a: '1', b: '2' } });
      clock.advance(1000);
      const patch = { status: 'paid', note: null, metadata: { a: null, c: '3' } };
      const changed = await acme.patch(url, patch, { 'content-type': type });
      const time = '2026-01-02T03:04:06.678Z';
      expect(changed).toMatchObject({
        status: 200,
        headers: { etag: '"2-1"' },
        body: { status: 'paid', version: 2, note: null, updated_at: time, paid_at: time },
      });
      expect(at(changed.body, 'metadata')).toEqual({ b: '2', c: '3' });
      expect(at(changed.body, 'available_transitions')).toEqual(['shipped', 'cancelled']);
      expect((await acme.get(url)).text).toBe(changed.text);
      expect(await acme.patch(url, {})).toMatchObject({ status: 200, text: changed.text });
    },
  );

  it('is not found after its deletion', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    expect(await acme.delete(url)).toMatchObject({ status: 204, text: '' });
    for (const response of [await acme.delete(url), await acme.get(`${url}/items`), await acme.patch(url, {})])
      expect(response).toMatchObject({ status: 404, body: { code: 'order_not_found' } });
  });
});

describe('HEAD', () => {
  const PAGE = { accept: 'text/html' };

  it.each<[string, number, Readonly<Record<string, string>>?]>([
    ['{order}', 200],
    ['{order}', 304, { 'if-none-match': '*' }],
    ['{order}/versions?limit=1', 200],
    ['{order}/versions/9', 404],
    ['/events', 200],
    ['/v1/orders?limit=0', 400],
    ['/readyz', 200],
    ['/openapi.json', 200],
    ['/docs', 200, PAGE],
    ['/problems/not-found', 200, PAGE],
    ['/', 200, PAGE],
  ])('has the headers of GET %s, without the body: %i', async (template, status, headers = {}) => {
    const { acme, app, keys } = await anApi();
    const url = template.replace('{order}', (await acme.place()).url);
    const sent = { url, headers: { ...SAME, 'x-api-key': keys.issue(), ...headers } };
    const [got, head] = [await app.inject(sent), await app.inject({ ...sent, method: 'HEAD' })];
    expect([got.statusCode, got.payload === '', head.payload]).toEqual([status, status === 304, '']);
    expect([head.statusCode, { ...head.headers, date: '' }]).toEqual([status, { ...got.headers, date: '' }]);
  });
});

describe('a cancellation', () => {
  it.each([
    ['no body', {}],
    ['an empty body under a JSON content type', { headers: JSON_TYPE, payload: '' }],
    ['an empty object', { headers: JSON_TYPE, payload: '{}' }],
  ])('needs no reason: %s', async (_, sent) => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const response = await acme.send({ method: 'POST', url: `${url}/cancel`, ...sent });
    const cancelled = { status: 'cancelled', cancel_reason: null, cancelled_at: NOW, version: 2 };
    expect(response).toMatchObject({ status: 200, headers: { etag: '"2-1"' }, body: cancelled });
  });

  it.each<[string, string | undefined, number]>([
    ['without a reason', undefined, 0],
    ['with a reason', 'out of stock', 0],
    ['of a cancelled order', 'again', 1],
  ])('has the same response as POST and as PATCH: %s', async (_, reason, before) => {
    const cancellations: readonly ((client: Client, url: string) => Promise<ApiResponse>)[] = [
      (client, url) => client.post(`${url}/cancel`, reason === undefined ? undefined : { reason }, SAME),
      (client, url) => client.patch(url, { status: 'cancelled', cancel_reason: reason }, SAME),
    ];
    const responses: ApiResponse[] = [];
    for (const cancel of cancellations) {
      const { acme } = await anApi();
      const { url } = await acme.place(aNewOrder());
      for (let time = 0; time < before; time += 1) await acme.post(`${url}/cancel`);
      responses.push(undated(await cancel(acme, url)));
    }
    expect(responses[1]).toEqual(responses[0]);
    const code = responses.map(({ body }) => at(body, 'code') ?? textAt(body, 'status'));
    expect(code[0]).toBe(before === 0 ? 'cancelled' : 'order_already_cancelled');
  });
});
