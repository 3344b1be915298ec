import type { Order } from '@orders/domain';
import { anOrder } from '@orders/domain/testing';
import { ok, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aDomainOver } from '../fixtures/a-domain.ts';
import { anApi } from '../fixtures/an-api.ts';
import { aNewOrder, NO_ORDER } from '../fixtures/new-orders.ts';

describe('work that takes too long', () => {
  it.each([
    ['a read', 'GET', undefined],
    // Their bodies are read long before the work ends.
    ['a change', 'PATCH', { note: 'soon' }],
    ['a creation', 'POST', aNewOrder()],
  ] as const)('gets a 504 before it ends: %s', async (_, method, json) => {
    const never = () => new ResultAsync<never, never>(new Promise(() => undefined));
    const store = aDomainOver({ load: never, commit: never });
    const { acme } = await anApi({ ...store, timeLimitMs: 30 });
    const url = method === 'POST' ? '/v1/orders' : `/v1/orders/${NO_ORDER}`;
    const response = await acme.send({
      method,
      url,
      ...(json && { payload: JSON.stringify(json), headers: { 'content-type': 'application/json' } }),
    });
    expect(response).toMatchObject({ status: 504, body: { code: 'timeout' } });
  });

  it('has no effect on the response when it ends later', async () => {
    const order = anOrder();
    let finish: (found: Order) => void = () => undefined;
    const found = new Promise<Order>((resolve) => (finish = resolve));
    const store = aDomainOver({ load: () => new ResultAsync(found.then((aggregate) => ok({ aggregate }))) });
    const { acme } = await anApi({ ...store, timeLimitMs: 20 });
    expect((await acme.get(`/v1/orders/${NO_ORDER}`)).status).toBe(504);
    finish(order);
    expect(await acme.get(`/v1/orders/${NO_ORDER}`)).toMatchObject({ status: 200, body: { id: order.id } });
  });
});
