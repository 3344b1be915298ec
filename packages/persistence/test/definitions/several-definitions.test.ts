import { randomUUID } from 'node:crypto';
import { defineOrders, type OrderDefinition, ORDERS, withLostStatus } from '@orders/domain';
import { parseFeedQuery } from '@orders/domain/events';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { handled, UnknownStatus } from '@orders/persistence';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { BAKERY, EARLIER_BAKERY, ITEMS, serverOf } from './bakery.ts';

const tested = testDatabase();

/** Opens servers of the bakery and of its earlier release, and places an order that is ready: a status of one alone. */
async function readyOrder() {
  const owner = randomUUID();
  const now = serverOf(tested.url, BAKERY);
  const before = serverOf(tested.url, EARLIER_BAKERY);
  const custom = { pick_up: '07:30' };
  const { id } = (await now.domain.placeOrder(owner, { items: ITEMS, custom }))._unsafeUnwrap().order;
  await now.domain.changeOrder(owner, id, { status: 'baking' });
  now.clock.advance(1000);
  const ready = () => now.domain.changeOrder(owner, id, { status: 'ready' }, { idempotencyKey: 'ready' });
  const { order } = (await ready())._unsafeUnwrap();
  return { owner, id, now, before, ready, order };
}

describe('an order in a status that the definition of a server lacks', () => {
  it('is unavailable there for every read and write of it, and for lists with it', async () => {
    const { owner, id, before } = await readyOrder();
    const results = [
      await before.domain.getOrder(owner, id),
      await before.domain.listOrders(owner),
      await before.domain.listOrderItems(owner, id),
      await before.domain.changeOrder(owner, id, { note: 'soon' }),
      await before.domain.changeOrder(owner, id, { status: 'collected' }, { idempotencyKey: 'collect' }),
      await before.domain.cancelOrder(owner, id),
      await before.domain.deleteOrder(owner, id),
    ];
    for (const result of results) {
      const error = result._unsafeUnwrapErr();
      expect(error).toMatchObject({ type: 'unavailable', cause: expect.any(UnknownStatus) as unknown });
      expect(error).toMatchObject({
        cause: { message: expect.stringContaining(`order ${id} has the status "ready"`) as unknown },
      });
    }
    before.clock.advance(60_000);
    const other = (await before.domain.placeOrder(owner, { items: ITEMS }))._unsafeUnwrap().order;
    const known = (await before.domain.listOrders(owner, { status: ['received', 'collected'] }))._unsafeUnwrap();
    expect(known.data).toEqual([other]);
    expect((await before.domain.listOrders(owner, { limit: 1 }))._unsafeUnwrap().data).toEqual([other]);
  });

  it('leaves a transaction usable, in which it is unavailable', async () => {
    const { owner, id, before } = await readyOrder();
    const noted = await before.database.transaction(async ({ domain }) => {
      const changed = await domain.changeOrder(owner, id, { note: 'soon' });
      expect(handled(changed)._unsafeUnwrapErr()).toMatchObject({
        type: 'unavailable',
        cause: expect.any(UnknownStatus) as unknown,
      });
      const { order } = (await domain.placeOrder(owner, { items: ITEMS }))._unsafeUnwrap();
      return ok(order.id);
    });
    const placed = noted._unsafeUnwrap();
    expect((await before.domain.getOrder(owner, placed)).isOk()).toBe(true);
  });

  it('is logged once for each status, and reported as long as it has the status', async () => {
    const { owner, id, now, before } = await readyOrder();
    expect(await before.database.unknownOrder()).toBeNull();
    await before.domain.getOrder(owner, id);
    await before.domain.getOrder(owner, id);
    const message = `order ${id} has the status "ready", which the definition of this server lacks`;
    expect(before.warnings.filter((warning) => warning.includes(message))).toHaveLength(1);
    expect(await before.database.unknownOrder()).toEqual({ owner, id, status: 'ready' });
    await now.domain.changeOrder(owner, id, { status: 'collected' });
    expect(await before.database.unknownOrder()).toBeNull();
    expect(await now.database.unknownOrder()).toBeNull();
    const { owner: another, id: deleted } = await readyOrder();
    await before.domain.getOrder(another, deleted);
    await now.domain.deleteOrder(another, deleted);
    expect(await before.database.unknownOrder()).toBeNull();
  });

  it('leaves it by a correction of a server for which the definition has it too', async () => {
    const { owner, id, now, before } = await readyOrder();
    const { domain } = serverOf<OrderDefinition>(tested.url, withLostStatus(EARLIER_BAKERY, 'ready'));
    (await domain.correctOrder(owner, id, { status: 'collected' }))._unsafeUnwrap();
    const order = (await before.domain.getOrder(owner, id))._unsafeUnwrap();
    expect(order).toMatchObject({ status: 'collected', version: 4, collected_at: order.corrected_at });
    const kept = { ...order, ready_at: null, custom: { pick_up: '07:30' } };
    expect((await now.domain.getOrder(owner, id))._unsafeUnwrap()).toEqual(kept);
  });

  it('has versions, events and replays there as they were recorded', async () => {
    const { owner, id, order, now, before } = await readyOrder();
    const { custom: _, ...recorded } = { ...order, available_transitions: [] };
    const [version] = (await before.domain.listOrderVersions(owner, id))._unsafeUnwrap().data;
    expect(version).toMatchObject({ type: 'order.ready', order: recorded });
    expect(version?.order).not.toHaveProperty('custom');
    expect((await before.domain.getOrderVersion(owner, id, 3))._unsafeUnwrap()).toEqual(version);
    const query = parseFeedQuery({ include: ['resource'] }, EARLIER_BAKERY)._unsafeUnwrap();
    const events = (await before.feed.read(owner, query))._unsafeUnwrap().data;
    expect(events.map(({ type }) => type)).toEqual(['order.placed', 'order.baking', 'order.ready']);
    expect(version?.order).toEqual({ ...events.at(-1)?.resource.data, available_transitions: [] });
    // The versions of an earlier definition have what was added since as null.
    const placed = (await before.domain.placeOrder(owner, { items: ITEMS }))._unsafeUnwrap().order;
    const first = (await now.domain.getOrderVersion(owner, placed.id, 1))._unsafeUnwrap();
    expect(first.order).toMatchObject({ custom: null, ready_at: null });
  });
});

describe('a server whose definition has less than that of another', () => {
  it('keeps the custom data and times that it does not have', async () => {
    const { owner, id, now, before } = await readyOrder();
    const collected = (await now.domain.changeOrder(owner, id, { status: 'collected' }))._unsafeUnwrap().order;
    const noted = (await before.domain.changeOrder(owner, id, { note: 'gone' }))._unsafeUnwrap().order;
    expect(noted).not.toHaveProperty('ready_at');
    expect(noted).not.toHaveProperty('custom');
    const { note, version, updated_at, ...kept } = (await now.domain.getOrder(owner, id))._unsafeUnwrap();
    expect([note, version, updated_at]).toEqual(['gone', noted.version, noted.updated_at]);
    expect(collected).toMatchObject(kept);
  });

  it('keeps the columns of the default definition and the others, whichever of them it has', async () => {
    const owner = randomUUID();
    const shop = serverOf(tested.url, ORDERS);
    const { id } = (await shop.domain.placeOrder(owner, { items: ITEMS }))._unsafeUnwrap().order;
    const paid = (await shop.domain.changeOrder(owner, id, { status: 'paid' }))._unsafeUnwrap().order;
    await shop.domain.changeOrder(owner, id, { status: 'shipped' });
    const small = defineOrders({
      lifecycle: { pending: ['shipped'], shipped: ['returned', 'cancelled'], returned: [], cancelled: [] },
      initial: 'pending',
      cancel: 'cancelled',
    });
    const other = serverOf(tested.url, small);
    expect((await other.domain.getOrder(owner, id))._unsafeUnwrap()).not.toHaveProperty('paid_at');
    const returned = (await other.domain.changeOrder(owner, id, { status: 'returned' }))._unsafeUnwrap().order;
    await execute(tested.url, `update orders set status = 'cancelled' where owner_id = '${owner}'`);
    const noted = (await shop.domain.changeOrder(owner, id, { note: 'back' }))._unsafeUnwrap().order;
    expect(noted).toMatchObject({ paid_at: paid.paid_at });
    const [row] = await execute(tested.url, `select paid_at, status_times from orders where owner_id = '${owner}'`);
    expect(JSON.parse(JSON.stringify(row))).toEqual({
      paid_at: paid.paid_at,
      status_times: { returned: returned.updated_at },
    });
  });
});
