import { createDomain } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { expect, it } from 'vitest';
import { aBody, OWNER, refuses, succeeds } from './a-domain.ts';

/** Changes everything in `value`, in depth, that is not frozen. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  for (const [key, member] of Object.entries(value)) {
    spoil(member);
    Reflect.set(value, key, typeof member === 'number' ? -1 : 'spoilt');
  }
  if (Array.isArray(value)) value.length = 0;
}

it('nothing that a use case returned or was given is shared with the store', async () => {
  const { events, ...store } = inMemoryStore();
  const domain = createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() });
  const options = { idempotencyKey: 'placing' };
  const body = aBody({ metadata: { a: 'b' }, note: 'x' });
  const placing = () => succeeds(domain.placeOrder(OWNER, structuredClone(body), options));
  const given = structuredClone(body);
  const placed = await succeeds(domain.placeOrder(OWNER, given, options));
  const customer = await succeeds(domain.createCustomer(OWNER, { email: 'a@example.com', metadata: { a: 'b' } }));
  const { id } = placed.order;
  const customerId = customer.customer.id;
  const change = { note: 'y', metadata: { c: 'd' } };
  const changed = await succeeds(domain.changeOrder(OWNER, id, change));
  const looks = async () => [
    await succeeds(domain.getOrder(OWNER, id)),
    await succeeds(domain.listOrders(OWNER)),
    await succeeds(domain.listOrderItems(OWNER, id)),
    await succeeds(domain.changeOrder(OWNER, id, {})),
    await succeeds(domain.getCustomer(OWNER, customerId)),
    await succeeds(domain.listCustomers(OWNER)),
    await succeeds(domain.changeCustomer(OWNER, customerId, {})),
    await placing(),
    events(),
  ];
  const before = JSON.stringify(await looks());
  for (const returned of [given, placed, customer, change, changed, ...(await looks())]) spoil(returned);
  expect(JSON.stringify(await looks())).toBe(before);
});

it('no refusal is shared with the next caller', async () => {
  const { events: _, ...store } = inMemoryStore();
  const domain = createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() });
  const { order } = await succeeds(domain.placeOrder(OWNER, aBody()));
  const refusals = async () => [
    await refuses(domain.placeOrder(OWNER, {})),
    await refuses(domain.placeOrder(OWNER, aBody({ customer_id: order.id }))),
    await refuses(domain.listOrderItems(OWNER, order.id, { after: { value: 0, id: order.id } })),
    await refuses(domain.changeOrder(OWNER, order.id, { status: 'delivered' })),
    await refuses(domain.listOrders(OWNER, { limit: 0, status: [] })),
  ];
  const before = JSON.stringify(await refusals());
  for (const refusal of await refusals()) spoil(refusal);
  expect(JSON.stringify(await refusals())).toBe(before);
});
