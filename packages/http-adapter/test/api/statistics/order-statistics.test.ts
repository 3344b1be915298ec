import { CURRENCIES } from '@orders/domain';
import { expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { at, listAt } from '../../fixtures/json.ts';

const SOME_CURRENCIES = [...CURRENCIES].slice(0, 100);
const aPast = (hour: number, currency: string) => ({
  order: {
    id: `01900000-0000-7000-8000-0${hour}${Buffer.from(currency).toString('hex')}0000`,
    created_at: `2025-01-01T0${hour}:00:00Z`,
    items: [{ sku: 'x', name: 'x', quantity: 1, unit_price: { amount: 1, currency } }],
  },
});

const QUERY = 'interval=day&from=2026-01-02T00:00:00Z&before=2026-01-03T00:00:00Z';

it('returns the rows, and the position of the last event that they contain', async () => {
  const { acme } = await anApi();
  const { id } = await acme.place();
  await acme.patch(`/v1/orders/${id}`, { status: 'paid' });
  const amount = at((await acme.get(`/v1/orders/${id}`)).body, 'total', 'amount');
  const read = await acme.get(`/v1/order_statistics?${QUERY}&time_zone=Asia/Kathmandu`);
  expect(read).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
  const row = { start: '2026-01-02T00:00:00+05:45', currency: 'EUR', orders: 1, total: amount };
  expect(read.body).toEqual({
    data: [
      { ...row, status: 'paid' },
      { ...row, status: 'placed' },
    ],
    as_of: 2,
  });
});

it.each([
  ['', ['interval', 'from', 'before']],
  [`${QUERY}&status=paid`, ['status']],
  [`${QUERY}&time_zone=Europe/Nowhere`, ['time_zone']],
  [QUERY.replace('day', 'week'), ['interval']],
])('rejects a query with 400 and its parameters: %s', async (query, fields) => {
  const { acme } = await anApi();
  const { status, body } = await acme.get(`/v1/order_statistics?${query}`);
  expect([status, at(body, 'code')]).toEqual([400, fields[0] === 'status' ? 'unknown_parameter' : 'invalid_parameter']);
  expect(listAt(body, 'errors').map((error) => at(error, 'field'))).toEqual(fields);
});

it('counts 25 buckets as a read, before anything is added up', async () => {
  const { acme } = await anApi({ rateLimits: { read: 10 } });
  const left = async (before: string) => {
    const from = '2000-01-01T00:00:00Z';
    const { status, headers, body } = await acme.get(`/v1/order_statistics?interval=day&from=${from}&before=${before}`);
    return [status, headers['ratelimit']?.split(';')[1], at(body, 'code')];
  };
  expect(await left('2000-01-26T00:00:00Z')).toEqual([200, 'r=9', undefined]);
  expect(await left('2000-02-21T00:00:00Z')).toEqual([200, 'r=6', undefined]);
  expect(await left('2000-08-20T00:00:00Z')).toEqual([429, 'r=5', 'rate_limited']);
  // No retry would help.
  expect(await left('2010-01-01T00:00:00Z')).toEqual([400, 'r=4', 'invalid_parameter']);
  expect(await left('2000-01-02T00:00:00Z')).toEqual([200, 'r=3', undefined]);
});

it('counts more than 500 rows of a read as 20 reads, before they are added up', async () => {
  const { acme } = await anApi({ rateLimits: { read: 45, batch: 0 } });
  const read = async () => {
    const { status, headers, body } = await acme.get(
      `/v1/order_statistics?interval=hour&from=2025-01-01T00:00:00Z&before=2025-01-01T12:00:00Z`,
    );
    return [status, headers['ratelimit']?.split(';')[1], status === 200 ? listAt(body, 'data').length : 0];
  };
  for (const [hour, rows, left] of [
    [5, 500, 'r=44'],
    [6, 600, 'r=24'],
  ] as const) {
    for (const at of Array.from({ length: hour }, (_, index) => index))
      await acme.post('/v1/order_batches', {
        import: true,
        orders: SOME_CURRENCIES.map((currency) => aPast(at, currency)),
      });
    expect(await read()).toEqual([200, left, rows]);
  }
  expect([await read(), await read()]).toEqual([
    [200, 'r=4', 600],
    [429, 'r=3', 0],
  ]);
});
