import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createDomain } from '@orders/domain/runtime';
import { inMemoryStore } from '@orders/domain/testing';
import { type Authentication, ordersHttp, ordersServerOptions } from '@orders/http-adapter';
import { fastify } from 'fastify';
import { RENTAL } from './rental.ts';

/** Everyone is one branch: the example `fastify-plugin` has sessions. */
const branch: Authentication = {
  authenticate: () => ({ owner: 'harbour', scopes: ['orders:read', 'orders:write'] }),
  challenge: () => 'Session',
  securitySchemes: {},
};

const publicBaseUrl = 'https://orders.rental.example';
const domain = createDomain(inMemoryStore({ definition: RENTAL }), RENTAL);
const app = fastify(ordersServerOptions(() => publicBaseUrl));
await app.register(ordersHttp, { domain, authentication: branch, publicBaseUrl });
after(() => app.close());

const saw = { sku: 'SAW', name: 'Chain saw', quantity: 1, unit_price: { amount: 2900, currency: 'EUR' } };
const custom = { from: '2026-05-01', to: '2026-05-02' };

const send = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
  const response = await app.inject({ method, url, ...(payload && { payload }) });
  const body = response.body === '' ? null : response.json<{ readonly id: string }>();
  return { status: response.statusCode, body };
};

it('is picked up once it is paid, and deleted once it is returned', async () => {
  const { body: placed } = await send('POST', '/v1/orders', { items: [saw], custom });
  assert.partialDeepStrictEqual(placed, { status: 'reserved', custom: { ...custom, insured: false } });
  const order = `/v1/orders/${placed?.id}`;
  const enter = (status: string) => send('PATCH', order, { status });
  assert.partialDeepStrictEqual(await enter('picked_up'), {
    status: 409,
    body: { code: 'status_required', detail: 'Before it is picked_up, the order must have been paid.' },
  });
  assert.equal((await enter('paid')).status, 200);
  assert.equal((await enter('picked_up')).status, 200);
  assert.partialDeepStrictEqual(await send('DELETE', order), {
    status: 409,
    body: { type: `${publicBaseUrl}/problems/still-out`, code: 'still_out', refusal: true },
  });
  assert.equal((await enter('returned')).status, 200);
  assert.equal((await send('DELETE', order)).status, 204);
});

it('is typed by its codes where the domain is embedded', async () => {
  const items = [{ ...saw, quantity: 3 }];
  const placed = await domain.placeOrder('harbour', { items, custom: { from: '2026-05-01', to: '2026-05-31' } });
  const error = placed._unsafeUnwrapErr();
  const code: 'still_out' | 'too_long' | 'status_required' | null = error.type === 'refused' ? error.code : null;
  assert.equal(code, 'too_long');
});

/** Custom data, and the field and code with which they are rejected. */
const INVALID = [
  [null, 'custom', 'required'],
  [{ from: '2026-05-01' }, 'custom.to', 'required'],
  [{ from: '2026-05-01', to: '2026-04-30' }, 'custom.to', 'out_of_range'],
  [{ from: 'May', to: '2026-05-02' }, 'custom.from', 'invalid_format'],
  [{ ...custom, insured: 'yes' }, 'custom.insured', 'wrong_type'],
  [{ ...custom, vip: true }, 'custom.vip', 'unknown_field'],
] as const;

it('has a period, which ends no sooner than it begins', async () => {
  for (const [wrong, field, code] of INVALID) {
    const { status, body } = await send('POST', '/v1/orders', { items: [saw], custom: wrong });
    assert.equal(status, 422);
    assert.partialDeepStrictEqual(body, { errors: [{ field, code }] });
  }
});
