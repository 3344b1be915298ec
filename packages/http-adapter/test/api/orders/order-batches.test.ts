import { defineOrders } from '@orders/domain';
import { SCOPES } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../fixtures/a-client.ts';
import { anApi, anApiOf } from '../../fixtures/an-api.ts';
import { at, eachAt, listAt } from '../../fixtures/json.ts';
import { aNewItem, aNewOrder } from '../../fixtures/new-orders.ts';

const ID = '10000000-0000-4000-8000-000000000000';
const URL = '/v1/order_batches';
const INVALID = { orders: [{ idempotency_key: 'a b', order: {} }] };

/** Returns a batch of orders with the keys `k0`, `k1` and so on. */
const batchOf = (...orders: readonly object[]) => ({
  orders: orders.map((order, index) => ({ idempotency_key: `k${index}`, order })),
});
const several = (count: number) => batchOf(...Array.from({ length: count }, () => aNewOrder()));
const anImport = (order: object, members: object = {}) => ({ import: true, ...members, orders: [{ order }] });

/** Returns a response without what differs between requests and between orders. */
const comparable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/"(urn:orders:request:)?[0-9a-f]{8}-[-0-9a-f]{27}"/g, '"id"'));

const referencesOf = async (client: Client) => eachAt(await client.get('/v1/orders'), 'reference');

describe('a batch of new orders', () => {
  const orders = [
    aNewOrder({ reference: 'PO-1' }),
    aNewOrder({ reference: 'PO-1' }),
    aNewOrder({ items: [] }),
    aNewOrder({ items: [aNewItem(), aNewItem({ unit_price: { amount: 1, currency: 'USD' } })] }),
    aNewOrder(),
  ];

  it('has for each the status and body of its own POST, also when it is repeated', async () => {
    const [{ acme: together }, { acme: alone }] = [await anApi(), await anApi()];
    for (const round of ['first', 'again']) {
      const { status, headers, body } = await together.post(URL, batchOf(...orders));
      expect([status, headers['cache-control']]).toEqual([207, 'no-store']);
      for (const [index, order] of orders.entries()) {
        const own = await alone.post('/v1/orders', order, { 'idempotency-key': `k${index}` });
        const replayed = own.headers['idempotent-replayed'] === 'true';
        const expected =
          own.status === 201
            ? { status: own.status, replayed, order: own.body }
            : { status: own.status, problem: own.body };
        expect([round, comparable(listAt(body, 'data')[index])]).toEqual([round, comparable(expected)]);
      }
    }
    expect(eachAt(await together.get('/v1/orders'), 'version')).toEqual([1, 1]);
  });

  it('has 500 for an order whose rules throw, which are logged, and the results of the others', async () => {
    const definition = defineOrders({
      lifecycle: { open: [] },
      initial: 'open',
      cancel: 'open',
      guards: {
        place: (_, { note }) => {
          if (note === 'thrown') throw new Error('a bug');
          return null;
        },
      },
    });
    const { acme } = await anApiOf(definition);
    const { status, body, text } = await acme.post(
      URL,
      batchOf(aNewOrder(), aNewOrder({ note: 'thrown' }), aNewOrder()),
    );
    const data = [{ status: 201 }, { status: 500, problem: { code: 'internal_error' } }, { status: 201 }];
    expect([status, body]).toMatchObject([207, { data }]);
    expect(text).not.toContain('a bug');
  });

  it('is rejected as a whole without a key, and beyond what a body may have', async () => {
    const { acme } = await anApi();
    expect(await acme.post(URL, INVALID)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'orders[0].idempotency_key', code: 'invalid_format' }] },
    });
    const long = { orders: [{ idempotency_key: 'a', order: aNewOrder({ note: 'x'.repeat(2 ** 21) }) }] };
    expect((await acme.post(URL, long)).status).toBe(413);
    expect((await acme.post(URL, { orders: [{ order: { items: Array(100_000).fill(0) } }] })).body).toMatchObject({
      errors: [{ field: '', code: 'too_long' }],
    });
  });
});

describe('the limit of orders in batches', () => {
  it('is one of its own, of which a batch takes one on arrival, and the rest of its orders or none', async () => {
    const { acme } = await anApi({ rateLimits: { write: 1, batch: 5 } });
    const remaining = async (count: number) => {
      const { status, headers } = await acme.post(URL, several(count));
      return [status, headers['ratelimit']?.split(';')[1]];
    };
    expect(await remaining(3)).toEqual([207, 'r=2']);
    expect(await remaining(3)).toEqual([429, 'r=1']);
    expect(await remaining(1)).toEqual([207, 'r=0']);
    expect(await acme.post(URL, several(1))).toMatchObject({
      status: 429,
      headers: { 'ratelimit-policy': '"batch";q=5;w=60' },
      body: { code: 'rate_limited' },
    });
    expect(await referencesOf(acme)).toHaveLength(3);
    expect((await acme.post('/v1/orders', aNewOrder())).status).toBe(201);
  });

  it('rejects a batch that exceeds it even alone, which counts as one order', async () => {
    const { acme } = await anApi({ rateLimits: { batch: 5 } });
    expect((await acme.post(URL, several(2))).status).toBe(207);
    expect(await acme.post(URL, several(6))).toMatchObject({
      status: 422,
      headers: { ratelimit: '"batch";r=2;t=60' },
      body: { errors: [{ field: 'orders', code: 'too_long' }] },
    });
    expect((await acme.post(URL, several(2))).status).toBe(207);
    expect((await acme.post(URL, several(6))).status).toBe(429);
  });

  it('counts a body by its bytes where these are more, valid or not, and reads none once it is spent', async () => {
    const { acme } = await anApi({ rateLimits: { batch: 100 } });
    const left = async (text: string) => {
      const headers = { 'content-type': 'application/json' };
      const { status, headers: received } = await acme.send({ method: 'POST', url: URL, headers, payload: text });
      return [status, received['ratelimit']?.split(';')[1]];
    };
    expect(await left('{')).toEqual([400, 'r=99']);
    expect(await left(JSON.stringify(several(1)).padEnd(2 ** 20))).toEqual([207, 'r=49']);
    expect(await left('{'.padEnd(2 ** 20))).toEqual([429, 'r=48']);
    expect(await left('{'.padEnd(49 * 20_000))).toEqual([400, 'r=1']);
    expect(await left(JSON.stringify(several(1)))).toEqual([207, 'r=0']);
    expect(await left('{')).toEqual([429, 'r=0']);
  });

  it('counts what is rejected before its body as one order', async () => {
    const { client, keys, acme } = await anApi({ rateLimits: { batch: 5 } });
    const reader = client(keys.issue({ scopes: ['orders:read'] }));
    const sent = [
      await reader.post(URL, several(2)),
      await acme.post(URL, several(2), { 'content-type': 'text/plain' }),
      await acme.post(URL, several(2), { accept: 'text/html' }),
      await acme.post(URL, batchOf(aNewOrder({ note: 'x'.repeat(2 ** 21) }))),
      await acme.post(URL, INVALID),
      await acme.post(URL, several(1)),
    ];
    expect(sent.map(({ status, headers }) => [status, headers['ratelimit']?.split(';')[1]])).toEqual(
      [403, 415, 406, 413, 422, 429].map((status, at) => [status, `r=${Math.max(0, 4 - at)}`]),
    );
  });
});

describe('a batch with import', () => {
  const old = aNewOrder({
    id: ID,
    status: 'paid',
    created_at: '2025-01-01T00:00:00Z',
    paid_at: '2025-01-02T00:00:00Z',
  });

  it('takes over orders in any status, each once', async () => {
    const { acme } = await anApi();
    for (const other of [aNewOrder({ id: ID }), {}]) {
      const { body } = await acme.post(URL, anImport({ ...old }));
      expect(at(body, 'data', 0)).toMatchObject({ status: 201, order: { id: ID, status: 'paid', version: 1 } });
      expect(at((await acme.post(URL, anImport(other))).body, 'data', 0)).toMatchObject(
        'items' in other
          ? { status: 409, problem: { code: 'id_taken', order_id: ID } }
          : { status: 422, problem: { errors: [{ field: 'id' }, { field: 'items' }] } },
      );
    }
    expect(eachAt(await acme.get('/v1/events'), 'type')).toEqual(['order.imported']);
  });

  it('takes over a withdrawn currency, which later charges have, but no new order', async () => {
    const { acme } = await anApi();
    const items = [aNewItem({ unit_price: { amount: 100, currency: 'HRK' } })];
    expect(at((await acme.post(URL, anImport({ ...old, items }))).body, 'data', 0, 'status')).toBe(201);
    const adjustments = [{ type: 'fee', name: 'Fee', amount: { amount: 1, currency: 'HRK' } }];
    const charged = await acme.post(`/v1/orders/${ID}/adjustments`, { adjustments });
    expect(charged).toMatchObject({ status: 200, body: { total: { currency: 'HRK' } } });
    const figures = `/v1/order_statistics?interval=day&from=2025-01-01T00:00:00Z&before=2025-01-02T00:00:00Z`;
    expect(eachAt(await acme.get(figures), 'currency')).toEqual(['HRK']);
    expect((await acme.post('/v1/orders', aNewOrder({ items }))).status).toBe(422);
  });

  it('needs a scope of its own', async () => {
    const { client, keys } = await anApi();
    const limited = client(keys.issue({ scopes: SCOPES.filter((scope) => scope !== 'orders:import') }));
    expect(await limited.post(URL, anImport({ ...old }))).toMatchObject({
      status: 403,
      body: { required_scope: 'orders:import' },
    });
    expect((await limited.post(URL, several(1))).status).toBe(207);
  });

  it('is refused by a guard, unless it is history', async () => {
    const definition = defineOrders({
      lifecycle: { open: ['gone'], gone: [] },
      initial: 'open',
      cancel: 'gone',
      refusals: { closed: 'We are closed.' },
      guards: { place: () => 'closed' },
    });
    const { acme } = await anApiOf(definition);
    const statuses: unknown[] = [];
    for (const batch of [
      several(1),
      anImport(aNewOrder({ id: ID })),
      anImport(aNewOrder({ id: ID }), { as_history: true }),
    ])
      statuses.push(at((await acme.post(URL, batch)).body, 'data', 0, 'status'));
    expect(statuses).toEqual([409, 409, 201]);
  });
});
