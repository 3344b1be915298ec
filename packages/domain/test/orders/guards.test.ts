import { type AnyOrder, createDomain, type DeleteOrderError, defineOrders } from '@orders/domain';
import { anOrder, fixedClock, given, GIVEN_OWNER, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { NOW, OWNER, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import {
  aPartlyFulfilled,
  ofAnyOrders,
  onePiece,
  ORDER_WRITES,
  orderWritesOf,
  type OrderWrite,
} from '../fixtures/order-writes.ts';

const LIFECYCLE = {
  reserved: ['paid', 'picked_up', 'cancelled'],
  paid: ['picked_up', 'cancelled'],
  picked_up: ['returned'],
  returned: [],
  cancelled: ['reserved'],
} as const;
const ROLES = { lifecycle: LIFECYCLE, initial: 'reserved', cancel: 'cancelled' } as const;

/** The orders of a rental, which are picked up once they are paid. */
const RENTAL = defineOrders({
  ...ROLES,
  refusals: { not_paid: 'The order must be paid before pick-up.', too_many: 'At most two things are rented together.' },
  guards: {
    enter: { picked_up: (_, after) => (after.paid_at === null ? 'not_paid' : null) },
    place: (_, { items }) => (items.length > 2 ? 'too_many' : null),
  },
});

const NOT_PAID = { type: 'refused', code: 'not_paid', message: 'The order must be paid before pick-up.' };

function aDomainOf(definition: typeof RENTAL) {
  const store = inMemoryStore({ definition });
  return { store, domain: createDomain({ ...store, clock: fixedClock(NOW), ids: sequentialIds() }, definition) };
}

/** Returns a domain with one order, and a function that returns the types of the events since. */
async function anOrderOf(definition: typeof RENTAL) {
  const { store, domain } = aDomainOf(definition);
  const { order } = (await domain.placeOrder(OWNER, { items: [item(2)] }))._unsafeUnwrap();
  return {
    domain,
    order,
    recorded: () =>
      store
        .events()
        .slice(1)
        .map(({ type }) => type),
  };
}

const item = (quantity: number) => ({
  sku: 'SAW',
  name: 'Saw',
  quantity,
  unit_price: { amount: 900, currency: 'EUR' },
});

describe('a guard', () => {
  it('refuses to enter a status, also together with other changes, until its condition holds', async () => {
    const { domain, order, recorded } = await anOrderOf(RENTAL);
    const pickUp = () => domain.changeOrder(OWNER, order.id, { status: 'picked_up', note: 'at noon' });
    expect((await pickUp())._unsafeUnwrapErr()).toEqual(NOT_PAID);
    expect(await domain.getOrder(OWNER, order.id)).toMatchObject({ value: order });
    await domain.changeOrder(OWNER, order.id, { status: 'paid' });
    expect((await pickUp()).isOk()).toBe(true);
    expect(recorded()).toEqual(['order.paid', 'order.picked_up']);
  });

  it('refuses to place an order, with or without a key, and stores nothing', async () => {
    const { domain, store } = aDomainOf(RENTAL);
    const three = { items: [item(1), item(1), item(1)] };
    for (const options of [{}, { idempotencyKey: 'k' }])
      expect((await domain.placeOrder(OWNER, three, options))._unsafeUnwrapErr()).toMatchObject({ code: 'too_many' });
    expect(store.events()).toEqual([]);
    expect((await domain.placeOrder(OWNER, { items: [item(1)] }, { idempotencyKey: 'k' })).isOk()).toBe(true);
  });

  it('runs after all other rules about the order', async () => {
    const { domain, order } = await anOrderOf(RENTAL);
    const pickUp = (id: string, options = {}) => domain.changeOrder(OWNER, id, { status: 'picked_up' }, options);
    expect((await pickUp(UNKNOWN_ID))._unsafeUnwrapErr()).toMatchObject({ type: 'order_not_found' });
    expect((await pickUp(order.id, { ifVersion: [7] }))._unsafeUnwrapErr()).toMatchObject({
      type: 'precondition_failed',
    });
    await domain.cancelOrder(OWNER, order.id);
    expect((await pickUp(order.id))._unsafeUnwrapErr()).toMatchObject({ type: 'invalid_status_transition' });
    const foreign = { items: [item(1), item(1), { ...item(1), unit_price: { amount: 1, currency: 'USD' } }] };
    expect((await domain.placeOrder(OWNER, foreign))._unsafeUnwrapErr()).toMatchObject({ type: 'currency_mismatch' });
  });

  it.each(['place', 'change', 'delete'] as const)('does not refuse a replay: %s', async (write) => {
    let isClosed = false;
    const { orders, customers } = inMemoryStore({ definition: RENTAL });
    // A store that does not plan the lookup, such as one that was restarted.
    const unaware = { ...orders, plan: () => ({ lookUpFirst: false, lockFirst: false }) };
    const ports = { orders: unaware, customers, clock: fixedClock(), ids: sequentialIds() };
    const refuseLater = () => (isClosed ? 'not_paid' : null);
    const domain = createDomain(ports, { ...RENTAL, guards: { enter: {}, [write]: refuseLater } });
    const placing = () => domain.placeOrder(OWNER, { items: [item(1)] }, { idempotencyKey: 'p' });
    const { id } = (await placing())._unsafeUnwrap().order;
    const options = { idempotencyKey: 'k' };
    const retried = {
      place: placing,
      change: () => domain.changeOrder(OWNER, id, { status: 'paid' }, options),
      delete: () => domain.deleteOrder(OWNER, id, options),
    }[write];
    await retried();
    isClosed = true;
    expect(await retried()).toMatchObject({ value: { replayed: true } });
  });

  it('does not run for a change of nothing', async () => {
    const { domain, order } = await anOrderOf({ ...RENTAL, guards: { change: () => 'not_paid' } });
    expect((await domain.changeOrder(OWNER, order.id, { note: null })).isOk()).toBe(true);
    expect((await domain.changeOrder(OWNER, order.id, { note: 'x' })).isErr()).toBe(true);
  });

  it.each([
    [
      'throws',
      (): never => {
        throw new SyntaxError('x');
      },
      SyntaxError,
    ],
    ['is asynchronous', () => Promise.resolve(null), 'returned no code of refusals'],
    ['returns an unknown code', () => 'toString', 'returned no code of refusals'],
    ['returns true', () => true, 'returned no code of refusals'],
    ['returns nothing', () => undefined, 'returned no code of refusals'],
  ])('is a bug where it %s, and nothing is stored', async (_, guard, message) => {
    const { domain, order, recorded } = await anOrderOf({ ...RENTAL, guards: { change: guard, delete: guard } });
    await expect(domain.changeOrder(OWNER, order.id, { note: 'x' })).rejects.toThrow(message);
    await expect(domain.deleteOrder(OWNER, order.id)).rejects.toThrow(message);
    const placing = aDomainOf({ ...RENTAL, guards: { place: guard } });
    await expect(placing.domain.placeOrder(OWNER, { items: [item(1)] })).rejects.toThrow(message);
    expect([recorded(), placing.store.events()]).toEqual([[], []]);
  });

  it('of an inherited name is none', async () => {
    const definition = defineOrders({
      lifecycle: { open: ['constructor'], constructor: [] as const },
      initial: 'open',
      cancel: 'constructor',
      refusals: { closed: 'Never.' },
    });
    const store = inMemoryStore({ definition });
    const domain = createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() }, definition);
    const { order } = (await domain.placeOrder(OWNER, { items: [item(1)] }))._unsafeUnwrap();
    expect((await domain.cancelOrder(OWNER, order.id)).isOk()).toBe(true);
  });
});

describe('a required status', () => {
  const required = defineOrders({ ...ROLES, requires: { picked_up: ['reserved', 'paid'], returned: ['paid'] } });

  it('must have been entered before, of which the initial one always was', async () => {
    const store = inMemoryStore({ definition: required });
    const domain = createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() }, required);
    const { order } = (await domain.placeOrder(OWNER, { items: [item(1)] }))._unsafeUnwrap();
    const pickUp = () => domain.changeOrder(OWNER, order.id, { status: 'picked_up' });
    expect((await pickUp())._unsafeUnwrapErr()).toEqual({
      type: 'refused',
      code: 'status_required',
      message: 'Before it is picked_up, the order must have been paid.',
    });
    await domain.changeOrder(OWNER, order.id, { status: 'paid' });
    expect((await pickUp()).isOk()).toBe(true);
    expect((await domain.changeOrder(OWNER, order.id, { status: 'returned' })).isOk()).toBe(true);
  });

  it('that requires itself is entered by no order, also by one that left it', async () => {
    const definition = defineOrders({ ...ROLES, requires: { paid: ['paid'] } });
    const order = anOrder({ status: 'reserved', paid_at: NOW }, definition);
    await given(definition, order)
      .when((domain) => domain.changeOrder(GIVEN_OWNER, order.id, { status: 'paid' }))
      .thenError({ type: 'refused', code: 'status_required', message: 'No order becomes paid at present.' });
  });
});

const LATER = '2026-04-01T08:00:00.000Z';

/** The guard of each write, also of other ways to it. */
const GUARDS: readonly (readonly [guard: string, write: OrderWrite])[] = [
  ['place', ORDER_WRITES.placeOrder],
  ['place', ORDER_WRITES.placeOrders],
  ['place', ORDER_WRITES.importOrder],
  ['place', ORDER_WRITES.importOrders],
  ['change', ORDER_WRITES.changeOrder],
  ['cancel', ORDER_WRITES.cancelOrder],
  ['adjust', ORDER_WRITES.adjustOrder],
  ['add', ORDER_WRITES.addItems],
  ['fulfill', ORDER_WRITES.fulfillItems],
  ['cancel_fulfillment', ORDER_WRITES.cancelFulfillment],
  ['return', ORDER_WRITES.returnItems],
  ['delete', ORDER_WRITES.deleteOrder],
  ['cancel', (on, it) => on.cancelOrder(OWNER, it.id, { items: onePiece(it) })],
  ['cancel', (on, { id }) => on.changeOrder(OWNER, id, { status: 'cancelled' })],
];

describe('every write of an order', () => {
  it('of the exports is listed with its guard', () => {
    expect(orderWritesOf(aDomainOf(RENTAL).domain)).toEqual(Object.keys(ORDER_WRITES));
    expect(GUARDS.map(([, write]) => write)).toEqual(expect.arrayContaining(Object.values(ORDER_WRITES)));
  });

  it.each(GUARDS)('is refused by its guard alone, which gets the time of the write: %s', async (guard, write) => {
    const seen: unknown[] = [];
    const refuse = (before: AnyOrder | null, after: AnyOrder | null, now: Date) => {
      seen.push([before?.version ?? null, after?.version, now]);
      return 'not_paid';
    };
    const allow = (): null => null;
    const others = Object.fromEntries(GUARDS.map(([name]) => [name, allow]));
    const store = inMemoryStore({ definition: RENTAL });
    const clock = fixedClock(NOW);
    const ports = { ...store, clock, ids: sequentialIds() };
    const open = createDomain(ports, RENTAL);
    const order = await aPartlyFulfilled(ofAnyOrders(open), OWNER);
    const before = store.events().length;
    clock.advance(Date.parse(LATER) - Date.parse(NOW));
    const guarded = createDomain(ports, { ...RENTAL, guards: { enter: {}, ...others, [guard]: refuse } });
    expect(await write(ofAnyOrders(guarded), order, OWNER)).toMatchObject({ error: NOT_PAID });
    expect(store.events()).toHaveLength(before);
    expect(await open.getOrder(OWNER, order.id)).toMatchObject({ value: order });
    expect(seen).toEqual([
      [
        guard === 'place' ? null : order.version,
        guard === 'delete' ? undefined : guard === 'place' ? 1 : order.version + 1,
        new Date(LATER),
      ],
    ]);
    expect(
      (
        await write(ofAnyOrders(createDomain(ports, { ...RENTAL, guards: { enter: {}, ...others } })), order, OWNER)
      ).isErr(),
    ).toBe(false);
  });
});

const LATE = { ...ROLES, refusals: { late: 'Late.' } } as const;

/** Programs that do not compile. */
const WRONG = [
  // @ts-expect-error -- not a code
  () => defineOrders({ ...LATE, guards: { place: () => 'early' } }),
  // @ts-expect-error -- not a code
  () => defineOrders({ ...ROLES, guards: { place: () => 'early' } }),
  // @ts-expect-error -- asynchronous
  () => defineOrders({ ...LATE, guards: { place: () => Promise.resolve('late' as const) } }),
  // @ts-expect-error -- not a status
  () => defineOrders({ ...LATE, guards: { enter: { sold: () => 'late' } } }),
  // @ts-expect-error -- not a status
  () => defineOrders({ ...ROLES, requires: { sold: ['paid'] } }),
  // @ts-expect-error -- not a status
  () => defineOrders({ ...ROLES, requires: { picked_up: ['sold'] } }),
  // @ts-expect-error -- not a member of these orders
  () => defineOrders({ ...LATE, guards: { place: (_, { sold_at }) => (sold_at === null ? 'late' : null) } }),
];

describe('the errors of a write', () => {
  it('have the codes of the definition, and no refusals where it has none', () => {
    type CodeOf<E> =
      Extract<E, { type: 'refused' }> extends infer R ? (R extends { code: infer C } ? C : never) : never;
    expectTypeOf<CodeOf<DeleteOrderError<typeof RENTAL>>>().toEqualTypeOf<'not_paid' | 'too_many'>();
    expectTypeOf<CodeOf<DeleteOrderError>>().toEqualTypeOf<never>();
    const required = () => defineOrders({ ...ROLES, requires: { paid: [] } });
    expectTypeOf<CodeOf<DeleteOrderError<ReturnType<typeof required>>>>().toEqualTypeOf<'status_required'>();
    expect(WRONG).toHaveLength(7);
  });
});
