import assert from 'node:assert/strict';
import * as domainExports from '@orders/domain';
import { createDomain, defineOrders, untyped } from '@orders/domain';
import * as eventExports from '@orders/domain/events';
import * as runtimeExports from '@orders/domain/runtime';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { aBody, fails, OWNER, succeeds } from '../fixtures/a-domain.ts';

/** Overwrites all members of `value` deeply, except frozen ones. */
function overwrite(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  for (const [key, member] of Object.entries(value)) {
    overwrite(member);
    Reflect.set(value, key, typeof member === 'number' ? -1 : 'overwritten');
  }
  if (Array.isArray(value)) value.length = 0;
}

it('errors of use cases are not shared between callers', async () => {
  const { events: _, ...store } = inMemoryStore();
  const domain = untyped(createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() }));
  const { order } = await succeeds(domain.placeOrder(OWNER, aBody()));
  const errors = async () => [
    await fails(domain.placeOrder(OWNER, {})),
    await fails(domain.placeOrder(OWNER, aBody({ customer_id: order.id }))),
    await fails(domain.listOrderItems(OWNER, order.id, { after: { value: 0, id: order.id } })),
    await fails(domain.listOrderVersions(OWNER, order.id, { after: { value: 1, id: 'another' } })),
    await fails(domain.changeOrder(OWNER, order.id, { status: 'delivered' })),
    await fails(domain.listOrders(OWNER, { limit: 0, status: [] })),
  ];
  const before = JSON.stringify(await errors());
  for (const error of await errors()) overwrite(error);
  expect(JSON.stringify(await errors())).toBe(before);
});

/** Returns `value` and all objects in it. */
function objectsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

describe('the constants of the domain', () => {
  it('are frozen with all their members, as is a definition of an embedder', () => {
    const defined = defineOrders({ lifecycle: { open: ['done'], done: [] }, initial: 'open', cancel: 'done' });
    for (const exported of [domainExports, eventExports, runtimeExports, { defined }]) {
      const constants = Object.values(exported).flatMap(objectsIn);
      expect(constants.length).toBeGreaterThan(0);
      for (const constant of constants) expect(constant).toSatisfy(Object.isFrozen);
    }
  });

  it('include a set of currencies that rejects every change', () => {
    const currencies: unknown = domainExports.CURRENCIES;
    assert.ok(currencies instanceof Set);
    const before = [...currencies];
    for (const change of [() => currencies.add('XXX'), () => currencies.delete('EUR'), () => currencies.clear()])
      expect(change).toThrow(new TypeError('this set is read-only'));
    expect([...currencies]).toEqual(before);
  });
});
