import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { at, textAt } from './json.ts';
import { aNewOrder } from './new-orders.ts';

describe.each([
  ['/', ''],
  ['shop', '/shop'],
  ['/shop/', '/shop'],
  ['/a/b/', '/a/b'],
])('the prefix "%s", which is "%s" to the router', (prefix, before) => {
  it('is the same in Location and in paths', async () => {
    const { acme } = await anApi({ prefix });
    const { headers, body } = await acme.post(`${before}/orders`, aNewOrder());
    expect(headers['location']).toBe(`${before}/v1/orders/${textAt(body, 'id')}`);
    expect((await acme.get(headers['location'] ?? '')).body).toEqual(body);
  });

  it('precedes every path', async () => {
    const { acme } = await anApi({ prefix });
    for (const path of ['/v1/orders', '/orders', '/docs', '/openapi.json', '/problems/not-found']) {
      expect(await acme.send({ method: 'PUT', url: `${before}${path}` })).toMatchObject({ status: 405 });
      expect(await acme.send({ method: 'OPTIONS', url: `${before}${path}` })).toMatchObject({ status: 204 });
    }
  });

  it('is part of the servers in the document', async () => {
    const { client } = await anApi({ prefix });
    expect(at((await client().get(`${before}/openapi.json`)).body, 'servers', 0, 'url')).toBe(`${before}/v1`);
  });
});
