import { expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { at, listAt } from '../../fixtures/json.ts';

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
