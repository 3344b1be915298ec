import { describe, expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { at, listAt } from '../../fixtures/json.ts';

const BUYER = { email: 'Ada@example.com' };

describe('a search for orders', () => {
  it('finds those of a buyer in any case, page by page', async () => {
    const { acme } = await anApi();
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await acme.place({ buyer: BUYER })).id);
    await acme.place({ buyer: { email: 'eve@example.com' } });
    const found = [];
    for (let after: unknown; after !== null;) {
      const body = { buyer_email: 'ADA@example.com', limit: 2, ...(after !== undefined && { after }) };
      const page = await acme.post('/v1/order_searches', body);
      expect(page).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
      expect(at(page.body, 'page', 'limit')).toBe(2);
      found.push(...listAt(page.body, 'data').map((order) => at(order, 'id')));
      after = at(page.body, 'page', 'next_cursor');
    }
    expect(found).toEqual(ids);
  });

  it.each([7, 'bm8', ''])('refuses the cursor %j', async (after) => {
    const { acme } = await anApi();
    const errors = [{ field: 'after', code: 'invalid_value' }];
    expect(await acme.post('/v1/order_searches', { buyer_email: BUYER.email, after })).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors },
    });
  });
});

describe('a list by a lookup', () => {
  it('has the orders with an external id, whatever colons it has', async () => {
    const { acme } = await anApi();
    const { id } = await acme.place({ external_ids: { stripe: ['pi:1'] } });
    await acme.place({ external_ids: { stripe: ['pi'] } });
    const { body } = await acme.get('/v1/orders?lookup=external.stripe:pi:1');
    expect(listAt(body, 'data').map((order) => at(order, 'id'))).toEqual([id]);
  });

  it.each(['email:ada@example.com', 'own.vin:W1', 'external.stripe', ''])('refuses %j', async (lookup) => {
    const { acme } = await anApi();
    const { status, body } = await acme.get(`/v1/orders?lookup=${lookup}`);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter', errors: [{ field: 'lookup' }] },
    });
  });
});
