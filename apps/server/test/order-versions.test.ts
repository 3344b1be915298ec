import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ComposedServer, composeServer } from './composed-server.ts';

let server: ComposedServer;
let apiKey: string;

beforeAll(async () => {
  server = await composeServer();
  apiKey = await server.issueKey('shop');
});

afterAll(() => server.close());

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

async function send(method: Method, url: string, body?: object, key?: string): Promise<{ body: string; url: string }> {
  const { statusCode, payload, headers } = await server.app.inject({
    method,
    url,
    headers: { 'x-api-key': apiKey, ...(key !== undefined && { 'idempotency-key': key }) },
    ...(body && { payload: body }),
  });
  if (statusCode >= 300) throw new Error(`${method} ${url} was rejected: ${payload}`);
  return { body: payload, url: `${headers.location ?? url}` };
}

const item = (name: string) => ({ sku: 'A', name, quantity: 3, unit_price: { amount: 1999, currency: 'EUR' } });

// Member names in an order that PostgreSQL's jsonb would change, and texts that JSON may escape in several ways.
const ORDER = {
  items: [item('Mug </script> é 😀 \u2028'), item('B')],
  reference: 'A/"1"',
  note: 'a\tb\u0001\\',
  metadata: { zebra: '1', alpha: '2', longest_name: '', b: 'x' },
};

it('a version of an order has the bytes of the response of its time, also after the deletion', async () => {
  const placed = await send('POST', '/v1/orders', ORDER, 'place');
  const { url } = placed;
  const patch = { note: null, metadata: { alpha: null, beta: '3' } };
  const writes = [
    () => send('POST', '/v1/orders', ORDER, 'place'),
    () => send('PATCH', url, patch, 'patch'),
    () => send('PATCH', url, { status: 'paid', note: 'now' }),
    () => send('POST', `${url}/cancel`, { reason: 'x' }, 'cancel'),
  ];
  const responses: string[] = [];
  for (const write of writes) {
    responses.push((await write()).body);
    expect((await send('GET', url)).body).toBe(responses.at(-1));
  }
  expect(responses[0]).toBe(placed.body);
  const expectVersions = async () => {
    const list = (await send('GET', `${url}/versions`)).body;
    for (const [index, response] of responses.entries()) {
      expect((await send('GET', `${url}/versions/${index + 1}`)).body).toContain(`"order":${response}}`);
      expect(list).toContain(`"order":${response}}`);
    }
    return list;
  };
  await expectVersions();
  await send('DELETE', url);
  const [prefix] = /^ord_[0-9a-f]{10}/.exec(apiKey) ?? [];
  const actor = `api_key:${prefix}`;
  expect(JSON.parse(await expectVersions())).toMatchObject({
    data: [
      { version: 5, type: 'order.deleted', changed: [], actor, order: null },
      { version: 4, type: 'order.cancelled', actor },
      { version: 3, type: 'order.paid', changed: ['status', 'paid_at', 'note'], actor },
      { version: 2, type: 'order.changed', changed: ['note', 'metadata'], actor },
      { version: 1, type: 'order.placed', changed: [], actor },
    ],
    page: { has_more: false, next_cursor: null },
  });
  for (const index of [0, 1, 3]) expect((await writes[index]?.())?.body).toBe(responses[index]);
});
