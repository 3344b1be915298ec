import { createDomain, untyped } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { instrumentedDomain } from '../../src/instrumentation/instrumented-domain.ts';
import { measureOrders } from '../../src/instrumentation/order-metrics.ts';

const anOrder = (amount: number, currency: string) => ({
  items: [{ sku: 'A', name: 'A', quantity: 2, unit_price: { amount, currency } }],
});

it('orders that are placed and cancelled are counted with their amounts, each currency from an initial zero', async () => {
  const { orders, customers } = inMemoryStore();
  const domain = createDomain({ orders, customers, clock: fixedClock(), ids: sequentialIds() });
  const registry = new Registry();
  const count = measureOrders(registry);
  const end = (_useCase: string, _state: null, _outcome: string, value: unknown) => count(domain.definition, value);
  const useCases = instrumentedDomain(domain, { begin: () => null, end });
  const samples = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('orders_'));
  expect(await samples()).toEqual([
    'orders_orders_total{change="placed"} 0',
    'orders_orders_total{change="cancelled"} 0',
  ]);

  const key = { idempotencyKey: 'a-key' };
  const { order: first } = (await useCases.placeOrder('shop', anOrder(650, 'EUR'), key))._unsafeUnwrap();
  // A replay, and an order that is rejected.
  await useCases.placeOrder('shop', anOrder(650, 'EUR'), key);
  await untyped(useCases).placeOrder('shop', {});
  const batch = [anOrder(100, 'EUR'), anOrder(100, 'JPY'), anOrder(-1, 'EUR')];
  await useCases.placeOrders(
    'shop',
    batch.map((order, at) => ({ idempotencyKey: `${at}`, order })),
  );
  const items = [{ item_id: first.items[0]?.id ?? '', quantity: 1 }];
  (await useCases.cancelOrder('shop', first.id, { items }))._unsafeUnwrap();
  // The total that is left. A patch cancels as well.
  (await useCases.changeOrder('shop', first.id, { status: 'cancelled' }))._unsafeUnwrap();

  const numbers = ['orders_orders_total{change="placed"} 3', 'orders_orders_total{change="cancelled"} 1'];
  const amounts = (...values: readonly number[]) => [
    ...numbers,
    ...['placed",currency="EUR', 'placed",currency="JPY', 'cancelled",currency="EUR'].map(
      (labels, at) => `orders_amount_total{change="${labels}"} ${values[at]}`,
    ),
  ];
  expect(await samples()).toEqual(amounts(0, 0, 0));
  expect(await samples()).toEqual(amounts(15, 200, 6.5));
  expect(await samples()).toEqual(amounts(15, 200, 6.5));
});
