import { createDomain, defineOrders, type Domain, type OrderDefinition, ORDERS } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { createWebhooks, type Webhooks } from '@orders/domain/webhooks';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { BAKERY } from '../../fixtures/a-bakery.ts';
import { aWebhooks } from '../../fixtures/a-webhooks.ts';

/** Binds the use cases of orders and of webhooks to a store of one definition, by another one. */
function bound(stored: OrderDefinition, definition: OrderDefinition) {
  const {
    webhookEndpoints: endpoints,
    webhookDeliveries: deliveries,
    ...store
  } = inMemoryStore({ definition: stored });
  const { secrets, sender, targets } = aWebhooks().ports;
  const ports = { ...store, clock: fixedClock(), ids: sequentialIds() };
  const all = { ...ports, endpoints, deliveries, secrets, sender, targets };
  return { domain: () => createDomain(ports, definition), webhooks: () => createWebhooks(all, definition) };
}

const copyOf = ({ lifecycle, initial, cancel }: OrderDefinition): OrderDefinition =>
  defineOrders<Readonly<Record<string, readonly string[]>>, string, string>({ lifecycle, initial, cancel });

describe('a missing port', () => {
  it.each(['orders', 'customers', 'clock', 'ids'])('is named when the use cases of orders are bound: %s', (name) => {
    for (const missing of [undefined, null]) {
      const ports = { ...inMemoryStore(), clock: fixedClock(), ids: sequentialIds(), [name]: missing };
      expect(() => createDomain(ports)).toThrow(new TypeError(`createDomain: the port "${name}" is missing`));
    }
  });

  it.each(['endpoints', 'deliveries', 'feed', 'secrets', 'sender', 'targets', 'clock', 'ids'])(
    'is named when the use cases of webhooks are bound: %s',
    (name) => {
      const missing = `createWebhooks: the port "${name}" is missing`;
      expect(() => createWebhooks({ ...aWebhooks().ports, [name]: undefined })).toThrow(new TypeError(missing));
    },
  );
});

describe('ports of another definition', () => {
  it.each([
    [BAKERY, ORDERS, 'received, baking, ready, collected, cancelled'],
    [ORDERS, BAKERY, 'pending, paid, shipped, delivered, cancelled'],
    [copyOf(BAKERY), BAKERY, 'received, baking, ready, collected, cancelled'],
  ])('are named when the use cases are bound', (stored, definition, statuses) => {
    const { domain, webhooks } = bound(stored, definition);
    const fault = `is for other orders, with the statuses ${statuses}`;
    expect(domain).toThrow(new TypeError(`createDomain: the port "orders" ${fault}`));
    expect(webhooks).toThrow(new TypeError(`createWebhooks: the port "feed" ${fault}`));
  });

  it('are accepted for an equal definition, which may be made twice of one file', () => {
    for (const definition of [ORDERS, copyOf(BAKERY)]) {
      const { domain, webhooks } = bound(copyOf(definition), definition);
      expect(domain().definition).toBe(definition);
      expect(webhooks().definition).toBe(definition);
    }
  });

  it('state the definition themselves, if the caller does not', () => {
    const {
      webhookEndpoints: endpoints,
      webhookDeliveries: deliveries,
      ...store
    } = inMemoryStore({ definition: BAKERY });
    const { secrets, sender, targets, clock, ids } = aWebhooks().ports;
    const domain = createDomain({ ...store, clock, ids });
    expectTypeOf(domain).toEqualTypeOf<Domain<typeof BAKERY>>();
    expect(domain.definition).toBe(BAKERY);
    const webhooks = createWebhooks({ ...store, endpoints, deliveries, secrets, sender, targets, clock, ids });
    expectTypeOf(webhooks).toEqualTypeOf<Webhooks<typeof BAKERY>>();
    expect(webhooks.definition).toBe(BAKERY);
  });

  it('are not found if a port states no definition', () => {
    const { orders, ...store } = inMemoryStore();
    const ports = { ...store, clock: fixedClock(), ids: sequentialIds() };
    expect(() => createDomain({ ...ports, orders: { ...orders, definition: undefined } })).not.toThrow();
  });
});
