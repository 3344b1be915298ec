import { createDomain, type UntypedDomain, isActor, type WriteOptions } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import type { ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import {
  aBody,
  aDomain,
  aPlacedOrder,
  type DomainUnderTest,
  OWNER,
  succeeds,
  UNKNOWN_ID,
  unreachable,
} from '../fixtures/a-domain.ts';

it.each([
  ['api_key:ord_4fT9', true],
  [' ~', true],
  ['a'.repeat(255), true],
  ['', false],
  ['a'.repeat(256), false],
  ['client:é', false],
  ['client:a\n', false],
  ['\u007f', false],
  [undefined, false],
  [null, false],
  [7, false],
  [['a'], false],
])('an actor is 1 to 255 printable ASCII characters: %j is %s', (actor, expected) => {
  expect(isActor(actor)).toBe(expected);
});

type Write = (domain: UntypedDomain, id: string, options: WriteOptions) => ResultAsync<unknown, unknown>;

/** Each write of an order, which succeeds for a pending order. */
const ORDER_WRITES: readonly (readonly [string, Write])[] = [
  ['placeOrder', (domain, _, options) => domain.placeOrder(OWNER, aBody(), options)],
  ['changeOrder', (domain, id, options) => domain.changeOrder(OWNER, id, { note: 'n' }, options)],
  ['cancelOrder', (domain, id, options) => domain.cancelOrder(OWNER, id, {}, options)],
  ['deleteOrder', (domain, id, options) => domain.deleteOrder(OWNER, id, options)],
];

const CUSTOMER_WRITES: readonly (readonly [string, Write])[] = [
  ['createCustomer', (domain, _, options) => domain.createCustomer(OWNER, { email: 'new@example.com' }, options)],
  ['changeCustomer', (domain, id, options) => domain.changeCustomer(OWNER, id, { name: 'Ada' }, options)],
  ['deleteCustomer', (domain, id, options) => domain.deleteCustomer(OWNER, id, options)],
];

const WRITES = [...ORDER_WRITES, ...CUSTOMER_WRITES];

async function aCustomerId(domain: DomainUnderTest): Promise<string> {
  return (await succeeds(domain.createCustomer(OWNER, { email: 'ada@example.com' }))).customer.id;
}

describe('the actor of a write', () => {
  it.each(ORDER_WRITES)('is in the event and in the version: %s', async (_, write) => {
    for (const actor of ['client:web', undefined]) {
      const domain = aDomain();
      const { id } = await aPlacedOrder(domain);
      await succeeds(write(domain, id, { actor }));
      const event = domain.events().at(-1);
      expect(event?.actor).toBe(actor ?? null);
      const version = await succeeds(domain.getOrderVersion(OWNER, event?.aggregate_id ?? '', event?.version ?? 0));
      expect(version.actor).toBe(actor ?? null);
    }
  });

  it.each(CUSTOMER_WRITES)('is in the event: %s', async (_, write) => {
    for (const actor of ['client:web', undefined]) {
      const domain = aDomain();
      const id = await aCustomerId(domain);
      await succeeds(write(domain, id, { actor }));
      expect(domain.events().at(-1)?.actor).toBe(actor ?? null);
    }
  });

  it('is no part of the command, so that a retry by another actor is a replay', async () => {
    const domain = aDomain();
    const place = (actor: string) => succeeds(domain.placeOrder(OWNER, aBody(), { idempotencyKey: 'k', actor }));
    const { order } = await place('client:web');
    expect(await place('client:app')).toEqual({ order, event: null, replayed: true });
    expect((await succeeds(domain.getOrderVersion(OWNER, order.id, 1))).actor).toBe('client:web');
  });

  it.each(WRITES)('throws a TypeError if it is invalid, before a port is called: %s', (_, write) => {
    const { orders, customers } = inMemoryStore();
    const ports = { orders: unreachable(orders), customers: unreachable(customers) };
    const domain = createDomain({ ...ports, clock: fixedClock(), ids: sequentialIds() });
    for (const actor of ['', 'zoë', 'a'.repeat(256), 'a\n', null, 7, {}, ['client:web']]) {
      const options = Object.assign({}, { actor });
      // @ts-expect-error -- JavaScript callers can pass any value
      expect(() => write(domain, UNKNOWN_ID, options)).toThrow(TypeError);
    }
  });

  it('is described by its error, which omits the value', () => {
    const domain = aDomain();
    const rule = 'the actor must be a string of 1 to 255 printable ASCII characters, got ';
    const error = new TypeError(`${rule}a string of 15`);
    expect(() => domain.placeOrder(OWNER, aBody(), { actor: 'zoë@example.com' })).toThrow(error);
  });
});
