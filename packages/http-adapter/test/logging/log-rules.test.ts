import { describe, expect, it } from 'vitest';
import { faultsIn } from './log-rules.ts';

const LINE = {
  level: 30,
  time: 1_767_323_045_678,
  pid: 7,
  hostname: 'here',
  request_id: 'a-1',
  method: 'GET',
  route: '/v1/orders/:id',
  id: '019b0000-0000-7000-8000-000000000001',
  status: 200,
  owner: 'acme',
  duration_ms: 1.2,
  msg: 'request',
};

describe('the rules of log lines', () => {
  it.each([LINE, { ...LINE, route: null, id: undefined }, { ...LINE, route: '/shop/orders/:id/cancel' }])(
    'are met by an expected line: %o',
    (line) => {
      expect(faultsIn(JSON.stringify(line))).toEqual([]);
    },
  );

  it.each([
    ['an unknown member', { req: { url: '/v1/orders' } }],
    ['a URL instead of the route', { route: '/v1/orders/019b0000-0000-7000-8000-000000000001' }],
    ['a query', { route: '/v1/orders?reference=A-1' }],
    ['a malformed id', { id: 'ada' }],
    ['another message', { msg: 'placed 2 mugs' }],
    ['an email', { owner: 'ada@example.com' }],
    ['an API key', { owner: 'ord_0123456789_abcdefghijklmnopqrstuvwxyz' }],
    ['a token', { owner: 'eyJhbGciOiJub25lIn0.e30.' }],
    ['a header', { msg: 'request', owner: 'X-API-Key' }],
    ['a body', { owner: 'Mug 330 ml, blue' }],
  ])('are violated by %s', (_, members) => {
    expect(faultsIn(JSON.stringify({ ...LINE, ...members }))).not.toEqual([]);
  });
});
