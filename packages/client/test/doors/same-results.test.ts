import { type OrderQuery, RequestFailed } from '@orders/client';
import { SCANNED_ELEMENTS_MAX } from '@orders/domain';
import { anEventOf, anOrder } from '@orders/domain/testing';
import type { ResultAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { comparable, DOORS, euros, NO_ID, type Opened, take, TEA } from './doors.ts';

/** What a script uses: a door, and what notes the outcomes, which must be the same through every door. */
interface Script extends Opened {
  /** Notes and returns the value of a call that succeeds. */
  readonly ok: <T>(call: ResultAsync<T, unknown>) => Promise<T>;
  /** Notes the errors of calls that fail. */
  readonly fail: (...calls: readonly ResultAsync<unknown, unknown>[]) => Promise<void>;
  /** Notes and returns the elements of a list. */
  readonly all: <T>(list: AsyncIterable<T>) => Promise<T[]>;
}

const FEE = { type: 'fee', name: 'Gift', amount: euros(1) } as const;
const URL_OF_HOOK = 'https://example.com/hook';
const NO_IDS = [NO_ID, 'PO-1', '../customers', ''];
const ADA = { email: 'ada@example.com', metadata: { a: 'b' } };

/** What every rule of the domain does is proven there; here it is made to happen once. */
const SCRIPTS: Readonly<Record<string, (script: Script) => Promise<unknown>>> = {
  'orders that are placed and replayed': async ({ orders, ok, fail, all }) => {
    for (const idempotencyKey of ['key', '"a\\b",'])
      for (const _ of ['placed', 'replayed']) await ok(orders.place({ items: [TEA] }, { idempotencyKey }));
    await fail(orders.place({ items: [TEA], note: 'other' }, { idempotencyKey: 'key' }));
    const { order, idempotencyKey } = await ok(orders.place({ items: [TEA], reference: 'PO-1' }));
    expect(idempotencyKey).toMatch(/^[\x21-\x7e]+$/);
    await ok(orders.get(order.id));
    for (const key of ['', ' ', 'é', 'a b', 'a\nb', 'x'.repeat(256)])
      await fail(orders.place({ items: [TEA] }, { idempotencyKey: key }));
    const dollars = { ...TEA, unit_price: { amount: 1, currency: 'USD' } } as const;
    const huge = { ...TEA, quantity: 1_000_000, unit_price: euros(10 ** 12) };
    await fail(
      orders.place({ items: [{ ...TEA, quantity: 0 }], note: 'x'.repeat(2001) }),
      orders.place({ items: [TEA, dollars] }),
      orders.place({ items: [huge] }),
      orders.place({ items: [TEA], reference: 'PO-1' }),
    );
    await all(orders.list());
  },
  'an order that does not exist': async ({ orders, fail }) => {
    for (const id of NO_IDS)
      await fail(
        orders.get(id),
        orders.change(id, { note: 'x' }),
        orders.update(id, () => ({ note: 'x' })),
        orders.cancel(id),
        orders.adjust(id, { adjustments: [FEE] }),
        orders.addItems(id, { items: [TEA] }),
        orders.fulfill(id),
        orders.cancelFulfillment(id, 'none'),
        orders.returnItems(id, { items: [{ item_id: NO_ID, quantity: 1 }] }),
        orders.delete(id),
        orders.items(id).page(),
        orders.versions(id).page(),
        orders.version(id, 1),
      );
  },
  'lists of orders': async ({ orders, clock, ok, fail, all }) => {
    const placed = [];
    // The cursor of an embedded domain must not end at the separator in a reference.
    for (const reference of ['PO-~3', 'PO-~1\n', 'PO-~2', 'other']) {
      const external_ids = reference === 'other' ? {} : { shop: ['a:b'] };
      const buyer = { email: 'Ada@example.com' };
      placed.push((await ok(orders.place({ items: [TEA], reference, external_ids, buyer }))).order);
      clock.advance(1000);
    }
    const [first, second, third, other] = placed.map(({ id, created_at: time }) => ({ id, time }));
    await ok(orders.change(first?.id ?? '', { status: 'paid' }));
    const query = { status: ['pending', 'shipped'], sort: 'created_at', limit: 2 } as const;
    const [page, last] = await all(orders.list(query).pages());
    expect(last).toMatchObject({ data: [{ id: other?.id }], next_cursor: null });
    await ok(orders.list({ ...query, after: page?.next_cursor ?? '' }).page());
    const queries: readonly OrderQuery[] = [
      query,
      { ...query, limit: 1, offset: 1 },
      { ids: [first?.id ?? '', NO_ID, third?.id.toUpperCase() ?? ''], limit: 1 },
      { reference_prefix: 'PO-~', limit: 1 },
      { lookup: 'external.shop:a:b', limit: 2 },
      { created_at_from: second?.time, created_at_before: other?.time, limit: 1 },
      { updated_at_from: other?.time, updated_at_before: '2027-01-01T00:00:00+01:00', limit: 1 },
      { updated_at_from: other?.time, sort: 'updated_at', limit: 1 },
    ];
    const counts = [];
    for (const each of queries) counts.push((await all(orders.list(each))).length);
    expect(counts).toEqual([3, 2, 2, 3, 3, 2, 2, 2]);
    expect(await all(orders.findByEmail('ADA@example.com', { limit: 3 }))).toHaveLength(4);
    await fail(
      orders.list({ limit: 0 }).page(),
      orders.list({ lookup: 'email:ada@example.com' }).page(),
      orders.findByEmail('ada').page(),
    );
    for (const after of ['nonsense', '1~2', '']) {
      const rejected = await orders.list({ after }).page();
      expect(rejected._unsafeUnwrapErr()).toMatchObject({ type: 'validation_failed', errors: [{ field: 'after' }] });
    }
    const thrown = await take(orders.list({ limit: 0 })).catch((error: unknown) => error);
    expect(thrown instanceof RequestFailed && thrown.error.type).toBe('validation_failed');
    const { order } = await ok(orders.place({ items: [1, 2, 3].map((quantity) => ({ ...TEA, quantity })) }));
    expect(await all(orders.items(order.id, { limit: 2 }))).toEqual(order.items);
  },
  'a list with an empty page that is not the last one': async ({ orders, store }) => {
    for (let index = 0; index <= SCANNED_ELEMENTS_MAX; index += 1) {
      const created_at = new Date(Date.UTC(2026, 0, 1) + index).toISOString();
      const after = anOrder({ created_at, updated_at: index === 0 ? '2026-06-01T00:00:00.000Z' : created_at });
      const write = { kind: 'create', after, event: anEventOf('acme', after), key: undefined } as const;
      (await store.orders.commit('acme', write))._unsafeUnwrap();
    }
    const list = orders.list({ updated_at_from: '2026-05-01T00:00:00Z' });
    expect((await list.page())._unsafeUnwrap().data).toEqual([]);
    expect(await take(list)).toMatchObject([{ created_at: '2026-01-01T00:00:00.000Z' }]);
  },
  'the versions of a deleted order': async ({ orders, ok, fail, all }) => {
    const { order } = await ok(orders.place({ items: [TEA] }));
    const { order: paid } = await ok(orders.change(order.id, { status: 'paid' }));
    await ok(orders.delete(order.id, { ifVersion: 2 }));
    const [page] = await all(orders.versions(order.id, { limit: 2 }).pages());
    await ok(orders.version(order.id, 1));
    await fail(
      orders.versions(order.id, { after: page?.next_cursor ?? '', at: paid.updated_at }).page(),
      orders.version(order.id, 9),
      orders.version(order.id, 2 ** 31),
      orders.get(order.id),
    );
  },
  'changes of an order': async ({ orders, ok, fail }) => {
    const { order } = await ok(orders.place({ items: [TEA] }));
    await ok(orders.change(order.id, { note: 'one' }, { ifVersion: 1 }));
    await ok(orders.update(order.id, ({ version, note }) => ({ note: `${note} after ${version}` })));
    const stale = { ifVersion: 1 };
    await fail(
      orders.change(order.id, { note: 'two' }, stale),
      orders.cancel(order.id, {}, stale),
      orders.adjust(order.id, { adjustments: [FEE] }, stale),
      orders.addItems(order.id, { items: [TEA] }, stale),
      orders.fulfill(order.id, {}, stale),
      orders.cancelFulfillment(order.id, NO_ID, stale),
      orders.returnItems(order.id, { items: [{ item_id: order.items[0]?.id ?? '', quantity: 1 }] }, stale),
      orders.delete(order.id, stale),
      orders.change(order.id, { status: 'delivered' }),
    );
    await ok(orders.cancel(order.id, { reason: 'late' }));
    await fail(orders.cancel(order.id), orders.change(order.id, { reference: 'x' }), orders.fulfill(order.id));
  },
  'charges, parcels and returns': async ({ orders, ok, fail, all }) => {
    const adjustments = [
      { type: 'discount', name: 'Four teas', amount: euros(-100), item: 0 },
      { type: 'shipping', name: 'Parcel', amount: euros(490) },
      { type: 'tax', name: 'VAT', amount: euros(350), included: true },
    ] as const;
    const { order } = await ok(orders.place({ items: [{ ...TEA, quantity: 4 }], adjustments }));
    const item_id = order.items[0]?.id ?? '';
    const of = (quantity: number) => ({ items: [{ item_id, quantity }] });
    const refund = { type: 'refund', name: 'One tea', amount: euros(-450), item_id } as const;
    const parcel = { ...of(2), tracking: { carrier: 'DHL', number: '0034' } };
    for (const _ of ['fulfilled', 'replayed']) await ok(orders.fulfill(order.id, parcel, { idempotencyKey: 'parcel' }));
    const fulfillment = (await ok(orders.get(order.id))).fulfillments[0]?.id ?? '';
    await fail(
      orders.place({ items: [TEA], adjustments: [{ type: 'discount', name: 'x', amount: euros(-901) }] }),
      orders.adjust(order.id, { adjustments: [{ ...refund, amount: euros(-9999) }] }),
      orders.adjust(order.id, { adjustments: [{ ...FEE, amount: euros(-2) }] }),
      orders.adjust(order.id, { adjustments: Array.from({ length: 100 }, () => FEE) }),
      orders.fulfill(order.id, of(3)),
      orders.returnItems(order.id, of(3)),
      orders.cancel(order.id, of(3)),
      orders.fulfill(order.id, { items: [{ item_id: NO_ID, quantity: 1 }] }),
      ...NO_IDS.map((none) => orders.cancelFulfillment(order.id, none)),
    );
    await ok(orders.cancelFulfillment(order.id, fulfillment));
    await fail(orders.cancelFulfillment(order.id, fulfillment), orders.cancel(order.id, of(4)));
    await ok(orders.cancel(order.id, { ...of(1), reason: 'broken' }));
    await ok(orders.fulfill(order.id));
    await ok(orders.returnItems(order.id, { ...of(1), reason: 'bitter', adjustments: [refund] }));
    await ok(orders.adjust(order.id, { adjustments: [{ type: 'shipping', name: 'Late', amount: euros(-490) }] }));
    await ok(orders.addItems(order.id, { items: [TEA], adjustments: [{ ...FEE, item: 0 }] }));
    await fail(
      orders.addItems(order.id, { items: Array.from({ length: 99 }, () => TEA) }),
      orders.addItems(order.id, { items: [TEA], adjustments: [{ ...FEE, item: 1 }] }),
    );
    await all(orders.versions(order.id));
  },
  'a signal that is aborted': async ({ orders, fail, all }) => {
    const signal = AbortSignal.abort();
    await fail(orders.place({ items: [TEA] }, { signal, idempotencyKey: 'k' }), orders.list({ signal }).page());
    await all(orders.list());
  },
  customers: async ({ orders, clock, ok, fail, all }) => {
    const { customers } = orders;
    const { customer, idempotencyKey } = await ok(customers.create(ADA));
    await ok(customers.create(ADA, { idempotencyKey }));
    await ok(customers.get(customer.id));
    await ok(customers.change(customer.id, { name: 'Ada' }, { ifVersion: 1 }));
    await ok(customers.update(customer.id, ({ name }) => ({ name: `${name} L.` })));
    clock.advance(1000);
    for (const email of ['b@x.y', 'c@x.y']) await ok(customers.create({ email }));
    for (const email of ['ADA@example.com', 'eve@example.com']) await ok(customers.search({ email }));
    await all(customers.list({ sort: 'created_at', limit: 2 }));
    await all(customers.list({ ids: [customer.id, NO_ID] }));
    await all(customers.list({ updated_at_before: '2026-01-02T03:04:06.678Z' }));
    await ok(orders.place({ items: [TEA], customer_id: customer.id }));
    await fail(
      customers.create({ email: 'ADA@example.com' }),
      customers.search({ email: 'ada' }),
      customers.delete(customer.id, { ifVersion: 1 }),
      customers.delete(customer.id),
      orders.place({ items: [TEA], customer_id: NO_ID }),
      ...[NO_ID, 'ada'].flatMap((id) => [
        customers.get(id),
        customers.change(id, { name: 'x' }),
        customers.update(id, () => ({ name: 'x' })),
        customers.delete(id),
        customers.erase(id),
        customers.data(id).page(),
      ]),
    );
  },
  'the data of a customer, who is then erased or deleted': async ({ orders, ok, fail, all }) => {
    const { customers } = orders;
    const { customer } = await ok(customers.create(ADA));
    const { order } = await ok(orders.place({ items: [TEA], customer_id: customer.id, note: 'Ada' }));
    await ok(orders.change(order.id, { note: 'A.' }));
    expect(await all(customers.data(customer.id, { limit: 1 }))).toHaveLength(4);
    for (const options of [{ ifVersion: 1 }, {}]) await ok(customers.erase(customer.id, options));
    await ok(orders.get(order.id));
    await fail(
      customers.change(customer.id, { name: 'Ada' }),
      orders.place({ items: [TEA], customer_id: customer.id }),
    );
    const { customer: other } = await ok(customers.create(ADA));
    await ok(customers.delete(other.id));
    await fail(customers.get(other.id));
  },
  'the erasure of a person by email': async ({ orders, ok, fail, all }) => {
    const { erasures } = orders;
    const person = { email: 'ada@example.com' };
    await ok(orders.place({ items: [TEA], buyer: { email: 'Ada@example.com' } }));
    expect(await all(erasures.data({ ...person, limit: 1 }))).toHaveLength(2);
    const { erasure, idempotencyKey } = await ok(erasures.create(person));
    await ok(erasures.create(person, { idempotencyKey }));
    await ok(erasures.get(erasure.id));
    await all(erasures.data(person));
    await fail(erasures.get(NO_ID));
    const refused = await erasures.data({ ...person, after: 'bm8' }).page();
    expect(refused._unsafeUnwrapErr()).toMatchObject({ type: 'validation_failed', errors: [{ field: 'after' }] });
  },
  'webhook endpoints': async ({ orders, ok, fail, all }) => {
    const { webhooks } = orders;
    const { endpoint, secret, idempotencyKey } = await ok(webhooks.create({ url: URL_OF_HOOK }));
    expect(secret).toMatch(/^whsec_/);
    expect((await ok(webhooks.create({ url: URL_OF_HOOK }, { idempotencyKey }))).secret).toBe(secret);
    await ok(webhooks.get(endpoint.id));
    await ok(webhooks.change(endpoint.id, { status: 'disabled' }, { ifVersion: 1 }));
    const rotated = await ok(webhooks.rotateSecret(endpoint.id, { overlap_seconds: 60 }, { ifVersion: 2 }));
    expect(rotated.secret).not.toBe(secret);
    await fail(
      webhooks.create({ url: URL_OF_HOOK }, { idempotencyKey }),
      webhooks.create({ url: 'http://example.com' }),
      webhooks.delete(endpoint.id, { ifVersion: 1 }),
      ...[NO_ID, '..'].flatMap((id) => [
        webhooks.get(id),
        webhooks.change(id, { status: 'enabled' }),
        webhooks.delete(id),
        webhooks.rotateSecret(id),
        webhooks.test(id),
        webhooks.deliveries(id).page(),
        webhooks.redeliver(id, NO_ID),
      ]),
    );
    for (let number = 1; number < 10; number += 1) await ok(webhooks.create({ url: `${URL_OF_HOOK}/${number}` }));
    await fail(webhooks.create({ url: URL_OF_HOOK }));
    await ok(webhooks.delete(endpoint.id));
    await all(webhooks.list());
  },
  'tests and deliveries of an endpoint': async ({ orders, ok, fail, all }) => {
    const { endpoint } = await ok(orders.webhooks.create({ url: URL_OF_HOOK, types: ['order.placed'] }));
    await ok(orders.webhooks.test(endpoint.id));
    for (let number = 0; number < 3; number += 1) await ok(orders.place({ items: [TEA] }));
    const [delivery] = await all(orders.webhooks.deliveries(endpoint.id, { limit: 2, status: 'pending' }));
    await ok(orders.webhooks.redeliver(endpoint.id, delivery?.event_id ?? ''));
    await fail(orders.webhooks.redeliver(endpoint.id, NO_ID), orders.webhooks.redeliver(endpoint.id, 'x'));
  },
  statistics: async ({ orders, ok, fail }) => {
    const { order } = await ok(orders.place({ items: [TEA] }));
    const query = { interval: 'day', from: order.created_at, before: '2026-02-01T00:00:00Z' } as const;
    expect((await ok(orders.statistics({ ...query, time_zone: 'Asia/Kathmandu' }))).data).toHaveLength(1);
    await fail(orders.statistics({ ...query, from: '2026-01-01' }));
  },
};

it.each(Object.entries(SCRIPTS))('every door has the same results of %s', async (_, script) => {
  const [first, ...others] = await Promise.all(
    DOORS.map(async ([, open]) => {
      const noted: unknown[] = [];
      const note = <T>(outcome: T): T => {
        noted.push(comparable(outcome));
        return outcome;
      };
      await script({
        ...(await open()),
        ok: async (call) => note((await call)._unsafeUnwrap()),
        fail: async (...calls) => {
          for (const call of calls) note((await call)._unsafeUnwrapErr());
        },
        all: async (list) => note(await take(list)),
      });
      return noted;
    }),
  );
  for (const other of others) expect(other).toEqual(first);
});
