import * as assert from '../assertions.ts';
import { err, ok } from 'neverthrow';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { type Timestamp, toTimestamp } from '../../shared/clock.ts';
import { anOwner, fails, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import type { AnyOrder, OpenAnySubject, OrderFixtures } from '../order-fixtures.ts';

/** Returns a time, later for a higher number. */
const minute = (count: number): Timestamp => toTimestamp(Date.UTC(2026, 0, 2, 4, count, 0, 120));

/** Returns paths from the initial status that together enter every other status, each a shortest path to its end. */
function pathsOf({ lifecycle, initial, statuses }: OrderDefinition): readonly (readonly string[])[] {
  const shortest = new Map<string, readonly string[]>([[initial, []]]);
  // A map is iterated over the entries that are added meanwhile, too.
  for (const [status, path] of shortest)
    for (const target of lifecycle[status] ?? []) if (!shortest.has(target)) shortest.set(target, [...path, target]);
  const isPart = (status: string) =>
    [...shortest.values()].some((path) => path.includes(status) && path.at(-1) !== status);
  return statuses.filter((status) => !isPart(status)).map((status) => shortest.get(status) ?? []);
}

export function updateContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { definition, anOrder, anEventOf, storeOrder, decide, advance, cancellable, cancellation }: OrderFixtures,
): void {
  describe('updating an order', () => {
    it('stores every field that may change', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner, anOrder({ status: cancellable, metadata: { a: '1', b: '2' } }));
      const change = {
        ...cancellation,
        customer_id: (await storeCustomer(subject, owner)).id,
        reference: 'PO-7',
        note: 'ring twice',
        metadata: { a: null, c: '3' },
      };
      const written = await succeeds(subject.orders.update(owner, order.id, decide(owner, change)));
      const at = '2026-01-02T03:05:00.000Z';
      const { customer_id, reference, note, cancel_reason = null, status = order.status } = change;
      const time = status === order.status ? null : definition.entries[status]?.time;
      const changed = { status, customer_id, reference, note, cancel_reason, metadata: { b: '2', c: '3' } };
      const expected = { ...order, ...changed, version: 2, updated_at: at, ...(time && { [time]: at }) };
      assert.deepEqual(written.order, expected);
      assert.equal(written.replayed, false);
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), expected);
    });

    it('stores the time at which each status was entered', async () => {
      const subject = await open();
      const owner = anOwner();
      for (const path of pathsOf(definition)) {
        const order = await storeOrder(subject, owner);
        const entered: Record<string, Timestamp> = {};
        for (const [index, status] of path.entries()) {
          const at = minute(index);
          await succeeds(subject.orders.update(owner, order.id, decide(owner, { status }, at)));
          const time = definition.entries[status]?.time;
          if (time) entered[time] = at;
        }
        const last = path.at(-1);
        const expected = {
          ...order,
          ...(last !== undefined && { status: last, updated_at: minute(path.length - 1) }),
          ...entered,
          version: path.length + 1,
        };
        assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), expected, path.join(', '));
      }
    });

    it('replaces the time of each status that is entered again', async () => {
      const subject = await open();
      const owner = anOwner();
      const times = (at: Timestamp) => Object.fromEntries(Object.keys(definition.noTimes).map((name) => [name, at]));
      const order = await storeOrder(subject, owner, anOrder(times(minute(0))));
      const enterAgain = (before: AnyOrder) => {
        const after = { ...before, ...times(minute(1)), version: 2, updated_at: minute(1) };
        return ok({ order: after, event: anEventOf(owner, after) });
      };
      await succeeds(subject.orders.update(owner, order.id, enterAgain));
      const expected = { ...order, ...times(minute(1)), version: 2, updated_at: minute(1) };
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), expected);
    });

    it('records one event with each change', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      const written = await succeeds(subject.orders.update(owner, id, decide(owner, { note: 'x', ...advance })));
      const events = await subject.events(owner);
      assert.deepEqual(events.slice(1), [written.event]);
      assert.equal(events[1]?.version, 2);
    });

    it('stores and records nothing when nothing changes', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner);
      const written = await succeeds(subject.orders.update(owner, order.id, decide(owner, { note: null })));
      assert.deepEqual(written, { order, event: null, replayed: false });
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('returns the error of the change, and stores nothing', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner);
      const error = await fails(subject.orders.update(owner, order.id, () => err({ type: 'no' })));
      assert.deepEqual(error, { type: 'no' });
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), order);
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('returns order_not_found for an unknown id, without calling change', async () => {
      const { orders } = await open();
      const { id } = anOrder();
      const error = await fails(orders.update(anOwner(), id, () => assert.fail('change was called')));
      assert.deepEqual(error, { type: 'order_not_found', id });
    });

    it('rejects an unknown customer, and stores nothing', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner);
      const foreign = (await storeCustomer(subject, anOwner())).id;
      const change = decide(owner, { customer_id: foreign });
      assert.deepEqual(await fails(subject.orders.update(owner, order.id, change)), { type: 'unknown_customer' });
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), order);
      assert.equal((await subject.events(owner)).length, 1);
    });
  });
}
