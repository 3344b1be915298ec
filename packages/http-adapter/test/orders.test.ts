import { describe, expect, it } from 'vitest';
import { undated } from './a-client.ts';
import { anApi } from './an-api.ts';
import { at, textAt } from './json.ts';
import { aNewItem, aNewOrder, NO_ORDER } from './new-orders.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NOW = '2026-01-02T03:04:05.678Z';

describe('creating an order', () => {
  it('returns 201 with the location, the entity tag and every field of the order', async () => {
    const { acme } = await anApi();
    const optional = { reference: 'A-1', note: 'Ring twice', metadata: { channel: 'web' } };
    const response = await acme.post('/v1/orders', aNewOrder(optional));
    const [id, itemId] = [textAt(response.body, 'id'), textAt(response.body, 'items', 0, 'id')];
    expect(response.status).toBe(201);
    expect(response.headers).toMatchObject({ location: `/v1/orders/${id}`, etag: '"1-1"' });
    expect(response.headers['content-type']).toMatch(/^application\/json\b/);
    expect(id).toMatch(UUID);
    expect(itemId).toMatch(UUID);
    expect(response.body).toEqual({
      id,
      status: 'pending',
      customer_id: null,
      reference: 'A-1',
      items: [
        {
          id: itemId,
          sku: 'MUG-330-BLUE',
          name: 'Mug 330 ml, blue',
          quantity: 2,
          unit_price: { amount: 1999, currency: 'EUR' },
          total: { amount: 3998, currency: 'EUR' },
        },
      ],
      total: { amount: 3998, currency: 'EUR' },
      note: 'Ring twice',
      metadata: { channel: 'web' },
      cancel_reason: null,
      available_transitions: ['paid', 'cancelled'],
      version: 1,
      created_at: NOW,
      updated_at: NOW,
      paid_at: null,
      shipped_at: null,
      delivered_at: null,
      cancelled_at: null,
    });
  });

  it('leaves omitted fields empty', async () => {
    const { acme } = await anApi();
    const { response } = await acme.place();
    expect(response.body).toMatchObject({ customer_id: null, reference: null, note: null, metadata: {} });
  });

  it('stores every key of the metadata, however unusual', async () => {
    const { acme } = await anApi();
    const odd =
      '{"__proto__":"1","constructor":"2","toString":"3","a.b":"4","line\\nbreak":"5","\u2028":"6","ключ":"7"}';
    const payload = `{"items":[${JSON.stringify(aNewItem())}],"metadata":${odd}}`;
    const created = await acme.send({
      method: 'POST',
      url: '/v1/orders',
      headers: { 'content-type': 'application/json' },
      payload,
    });
    expect(created.status).toBe(201);
    expect(at(created.body, 'metadata')).toStrictEqual(JSON.parse(odd));
    expect((await acme.get(created.headers['location'] ?? '')).text).toBe(created.text);
  });
});

describe('reading an order', () => {
  it('returns 200 with the same order as its creation', async () => {
    const { acme } = await anApi();
    const { url, response } = await acme.place();
    const read = await acme.get(url);
    expect(read.status).toBe(200);
    expect(read.headers['etag']).toBe('"1-1"');
    expect(read.text).toBe(response.text);
  });

  it('accepts the id in upper case', async () => {
    const { acme } = await anApi();
    const { id, response } = await acme.place();
    expect((await acme.get(`/v1/orders/${id.toUpperCase()}`)).text).toBe(response.text);
  });

  it('returns the same representation in a list', async () => {
    const { acme } = await anApi();
    const { response } = await acme.place();
    const list = await acme.get('/v1/orders');
    expect(list.status).toBe(200);
    expect(at(list.body, 'data')).toEqual([response.body]);
  });
});

describe('HEAD', () => {
  it.each([
    ['a list', '/v1/orders', 200],
    ['an order', '/v1/orders/{id}', 200],
    ['items', '/v1/orders/{id}/items', 200],
    ['a bad parameter', '/v1/orders?limit=0', 400],
    ['an unknown order', `/v1/orders/${NO_ORDER}`, 404],
    ['an unknown path', '/v1', 404],
  ])('returns the headers of GET for %s, without the body', async (_, template, status) => {
    const { acme } = await anApi();
    const url = template.replace('{id}', (await acme.place()).id);
    const sent = { 'x-request-id': 'the-same' };
    const got = undated(await acme.get(url, sent));
    expect(got.status).toBe(status);
    expect(got.text).not.toBe('');
    expect(undated(await acme.head(url, sent))).toEqual({ ...got, text: '', body: undefined });
  });

  it('returns 304 like GET', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const sent = { 'x-request-id': 'the-same', 'if-none-match': '*' };
    const head = undated(await acme.head(url, sent));
    expect(head.status).toBe(304);
    expect(head).toEqual(undated(await acme.get(url, sent)));
  });
});

describe('changing an order', () => {
  it.each(['application/merge-patch+json', 'application/json', 'application/json; charset="UTF-8"'])(
    'takes a merge patch as %s',
    async (type) => {
      const { acme, clock } = await anApi();
      const { url } = await acme.place({ note: 'Ring twice', metadata: { a: '1', b: '2' } });
      clock.advance(1000);
      const patch = { status: 'paid', note: null, metadata: { a: null, c: '3' } };
      const changed = await acme.patch(url, patch, { 'content-type': type });
      expect(changed.status).toBe(200);
      expect(changed.headers['etag']).toBe('"2-1"');
      const time = '2026-01-02T03:04:06.678Z';
      expect(changed.body).toMatchObject({ status: 'paid', version: 2, note: null, updated_at: time, paid_at: time });
      expect(at(changed.body, 'metadata')).toEqual({ b: '2', c: '3' });
      expect(at(changed.body, 'available_transitions')).toEqual(['shipped', 'cancelled']);
      expect((await acme.get(url)).text).toBe(changed.text);
    },
  );

  it('changes nothing by an empty patch, including the version', async () => {
    const { acme } = await anApi();
    const { url, response } = await acme.place();
    const changed = await acme.patch(url, {});
    expect(changed).toMatchObject({ status: 200, text: response.text, headers: { etag: '"1-1"' } });
  });
});

describe('deleting an order', () => {
  it('returns 204 without a body, then 404', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const deleted = await acme.delete(url);
    expect(deleted).toMatchObject({ status: 204, text: '' });
    expect(deleted.headers).not.toHaveProperty('content-type');
    for (const response of [await acme.delete(url), await acme.get(url), await acme.patch(url, {})]) {
      expect(response).toMatchObject({ status: 404, body: { code: 'order_not_found' } });
    }
  });
});

describe('the items of an order', () => {
  it('are listed like in the order, in line order', async () => {
    const { acme } = await anApi();
    const items = ['B', 'A', 'C'].map((sku) => aNewItem({ sku }));
    const { url, response } = await acme.place({ items });
    const list = await acme.get(`${url}/items`);
    expect(list.status).toBe(200);
    expect(list.body).toEqual({
      data: at(response.body, 'items'),
      page: { limit: 20, has_more: false, next_cursor: null },
    });
    expect([0, 1, 2].map((index) => at(list.body, 'data', index, 'sku'))).toEqual(['B', 'A', 'C']);
  });

  it('are not found if the order is unknown', async () => {
    const { acme } = await anApi();
    const list = await acme.get(`/v1/orders/${NO_ORDER}/items`);
    expect(list).toMatchObject({ status: 404, body: { code: 'order_not_found' } });
  });
});
