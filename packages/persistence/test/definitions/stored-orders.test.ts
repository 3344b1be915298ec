import { randomUUID } from 'node:crypto';
import { presentOrder } from '@orders/domain';
import { parseFeedQuery } from '@orders/domain/events';
import { consumeInTransaction } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { BAKERY, ITEMS, serverOf } from './bakery.ts';
import { anEventOf } from '@orders/domain/testing';

const tested = testDatabase();

/** Custom data whose members are not in alphabetical order, with numbers and keys that SQL types could change. */
const CUSTOM = { pick_up: '07:30', slices: 1.5, ['a"b']: [null, { z: 1, a: '§ "quoted" ünï' }], big: 1e21, on: false };

const textOf = (value: unknown) => JSON.stringify(value);

describe('orders of a definition of their own', () => {
  it('are the same text from every read, and in their versions, replays and events', async () => {
    const { domain, feed, clock, orders } = serverOf(tested.url, BAKERY);
    expect([orders.definition, feed.definition]).toEqual([BAKERY, BAKERY]);
    const owner = randomUUID();
    const place = () => domain.placeOrder(owner, { items: ITEMS, custom: CUSTOM }, { idempotencyKey: 'place' });
    const placed = (await place())._unsafeUnwrap().order;
    expect(placed.custom).toEqual(CUSTOM);
    clock.advance(1000);
    const bake = () => domain.changeOrder(owner, placed.id, { status: 'baking' }, { idempotencyKey: 'bake' });
    const baking = (await bake())._unsafeUnwrap().order;
    expect(baking).toMatchObject({
      status: 'baking',
      baking_at: baking.updated_at,
      ready_at: null,
      cancelled_at: null,
    });
    clock.advance(1000);
    const patch = { status: 'cancelled', cancel_reason: 'burnt', custom: { slices: null, on: true } } as const;
    const cancelled = (await domain.changeOrder(owner, placed.id, patch))._unsafeUnwrap();
    expect(cancelled.event?.changed).toEqual(['status', 'cancelled_at', 'custom', 'cancel_reason']);
    expect(Object.keys(cancelled.order.custom ?? {})).toEqual(['pick_up', 'a"b', 'big', 'on']);

    const [first, second, third] = [placed, baking, cancelled.order].map(textOf);
    expect(textOf((await domain.getOrder(owner, placed.id))._unsafeUnwrap())).toBe(third);
    expect(textOf((await domain.listOrders(owner))._unsafeUnwrap().data)).toBe(`[${third}]`);
    expect(textOf((await place())._unsafeUnwrap().order)).toBe(first);
    expect(textOf((await bake())._unsafeUnwrap().order)).toBe(second);
    const versions = (await domain.listOrderVersions(owner, placed.id))._unsafeUnwrap().data;
    expect(versions.map(({ order }) => textOf(order))).toEqual([third, second, first]);
    const query = parseFeedQuery({ include: ['resource'] }, BAKERY)._unsafeUnwrap();
    const events = (await feed.read(owner, query))._unsafeUnwrap().data;
    // Ports have orders as they are stored.
    const presented = events.map(({ resource }) =>
      resource.type === 'order' && resource.data ? presentOrder(resource.data, BAKERY) : null,
    );
    expect(presented.map(textOf)).toEqual([first, second, third]);
    expect(events.map(({ type, changed }) => [type, changed])).toEqual([
      ['order.placed', []],
      ['order.baking', ['status', 'baking_at']],
      ['order.cancelled', ['status', 'cancelled_at', 'custom', 'cancel_reason']],
    ]);
    const typed = parseFeedQuery({ types: ['order.baking'] }, BAKERY)._unsafeUnwrap();
    expect((await feed.read(owner, typed))._unsafeUnwrap().data.map(({ type }) => type)).toEqual(['order.baking']);
  });

  it('are consumed in transactions with their types, by their own types of events', async () => {
    const { database, domain } = serverOf(tested.url, BAKERY);
    const owner = randomUUID();
    const { id } = (await domain.placeOrder(owner, { items: ITEMS, custom: CUSTOM }))._unsafeUnwrap().order;
    for (const status of ['baking', 'ready', 'collected'] as const) await domain.changeOrder(owner, id, { status });
    const stop = new AbortController();
    const seen: (string | undefined)[] = [];
    await consumeInTransaction({
      database,
      owner,
      name: 'shelf',
      signal: stop.signal,
      types: ['order.ready'],
      include: ['resource'],
      handler: async ({ type, resource }, transaction) => {
        const stored = (await transaction.domain.getOrder(owner, id))._unsafeUnwrap();
        seen.push(type, stored.status, resource.type === 'order' ? resource.data?.custom?.pick_up : undefined);
        stop.abort();
      },
    });
    expect(seen).toEqual(['order.ready', 'collected', '07:30']);
  });

  it('reject a time that is no timestamp, also one without a column', async () => {
    const { domain, orders } = serverOf(tested.url, BAKERY);
    const owner = randomUUID();
    const { order } = (await domain.placeOrder(owner, { items: ITEMS }))._unsafeUnwrap();
    const event = anEventOf<typeof BAKERY>(owner, { ...order, version: 2 });
    const before = (await orders.load(owner, order.id))._unsafeUnwrap();
    if (!before) throw new Error('the order is missing');
    const after = { ...before.aggregate, version: 2, baking_at: 'soon' };
    const write = { kind: 'change', before, after, event, key: undefined } as const;
    await expect(orders.commit(owner, write)).rejects.toThrow(TypeError);
    expect((await domain.getOrder(owner, order.id))._unsafeUnwrap()).toEqual(order);
  });

  it('keep custom data readable that the present parser rejects', async () => {
    const { domain } = serverOf(tested.url, BAKERY);
    const owner = randomUUID();
    const { id } = (await domain.placeOrder(owner, { items: ITEMS, custom: CUSTOM }))._unsafeUnwrap().order;
    await execute(tested.url, `update orders set custom = '{"allergens":[]}' where owner_id = '${owner}'`);
    expect((await domain.getOrder(owner, id))._unsafeUnwrap().custom).toEqual({ allergens: [] });
  });
});
