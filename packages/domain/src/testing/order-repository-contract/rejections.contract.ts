import { ok } from 'neverthrow';
import * as assert from '../assertions.ts';
import { aKey, anItem } from '../builders.ts';
import { anOwner, fails, rejects, succeeds, type TestRunner } from '../contract-subject.ts';
import { INVALID_TIMESTAMPS, THROWN_VALUES, UNSTORABLE_TEXTS, WRONG_VERSIONS } from '../invalid-values.ts';
import { type AnyOrder, decideDeletion, type OpenAnySubject, type OrderFixtures } from '../order-fixtures.ts';

export function rejectionsContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { definition, anOrder, anEventOf, storeOrder, decide }: OrderFixtures,
): void {
  describe('an order write with a bug of its caller', () => {
    it('rejects a new order with an existing id, overwrites nothing and leaves the key unused', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }));
      const idempotency = aKey();
      for (const reference of ['PO-1', 'PO-2', null]) {
        const again = anOrder({ id: order.id, reference, note: 'overwritten' });
        const placed = { order: again, event: anEventOf(owner, again) };
        await rejects(() => subject.orders.insert(owner, placed));
        await rejects(() => subject.orders.insert(owner, placed, idempotency));
      }
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), order);
      assert.equal((await subject.events(owner)).length, 1);
      const next = anOrder();
      assert.deepEqual(await storeOrder(subject, owner, next, { ...idempotency, fingerprint: 'another' }), next);
    });

    it('rejects a new order with the id of a deleted order, and leaves the key unused', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      await succeeds(subject.orders.delete(owner, id, decideDeletion(owner)));
      const again = anOrder({ id });
      const idempotency = aKey();
      await rejects(() => subject.orders.insert(owner, { order: again, event: anEventOf(owner, again) }, idempotency));
      assert.equal((await fails(subject.orders.find(owner, id))).type, 'order_not_found');
      assert.equal((await subject.events(owner)).length, 2);
      const next = anOrder();
      assert.deepEqual(await storeOrder(subject, owner, next, { ...idempotency, fingerprint: 'another' }), next);
    });

    it('rejects an order or event whose version is not the next one, stores nothing and leaves the key unused', async () => {
      const subject = await open();
      const owner = anOwner();
      const { orders } = subject;
      const order = await storeOrder(subject, owner);
      const idempotency = aKey();
      const another = anOrder();
      const event = anEventOf(owner, another, { version: 2 });
      await rejects(() => orders.insert(owner, { order: another, event }, idempotency));
      for (const [version, versionOfEvent] of WRONG_VERSIONS) {
        const change = (before: AnyOrder) => {
          const after = { ...before, note: 'x', version };
          return ok({ order: after, event: anEventOf(owner, after, { version: versionOfEvent }) });
        };
        await rejects(() => orders.update(owner, order.id, change));
        await rejects(() => orders.update(owner, order.id, change, idempotency));
      }
      for (const version of [0, 1, 3]) {
        const deletion = () => ok(anEventOf(owner, order, { type: 'order.deleted', version }));
        await rejects(() => orders.delete(owner, order.id, deletion));
        await rejects(() => orders.delete(owner, order.id, deletion, idempotency));
      }
      assert.deepEqual(await succeeds(orders.find(owner, order.id)), order);
      assert.equal((await fails(orders.find(owner, another.id))).type, 'order_not_found');
      assert.equal((await subject.events(owner)).length, 1);
      assert.equal((await fails(orders.findVersion(owner, order.id, 2))).type, 'version_not_found');
      const next = anOrder();
      assert.deepEqual(await storeOrder(subject, owner, next, { ...idempotency, fingerprint: 'another' }), next);
    });

    for (const [name, thrown] of THROWN_VALUES) {
      it(`rejects with the value that change or decide throws, and stores nothing: ${name}`, async () => {
        const subject = await open();
        const owner = anOwner();
        const order = await storeOrder(subject, owner);
        const raise = () => {
          throw thrown;
        };
        const { orders } = subject;
        const idempotency = aKey();
        // More often than a pool has connections, so that a leaked connection would block the test.
        for (let count = 0; count < 12; count += 1) {
          assert.equal(await rejects(() => orders.update(owner, order.id, raise)), thrown);
          assert.equal(await rejects(() => orders.update(owner, order.id, raise, idempotency)), thrown);
          assert.equal(await rejects(() => orders.delete(owner, order.id, raise)), thrown);
          assert.equal(await rejects(() => orders.delete(owner, order.id, raise, idempotency)), thrown);
        }
        assert.deepEqual(await succeeds(orders.find(owner, order.id)), order);
        assert.equal((await subject.events(owner)).length, 1);
        await succeeds(
          orders.update(owner, order.id, decide(owner, { note: 'x' }), { ...idempotency, fingerprint: 'x' }),
        );
      });
    }

    it('releases its lock when change throws after a conflict with another write', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      const thrown = new Error('called again');
      const onlyOnce = () => {
        let calls = 0;
        return (order: AnyOrder) => {
          calls += 1;
          if (calls > 1) throw thrown;
          return decide(owner, { note: `${order.version}` })(order);
        };
      };
      const updates = Array.from({ length: 12 }, () => subject.orders.update(owner, id, onlyOnce()));
      for (const settled of await Promise.allSettled(updates)) {
        if (settled.status === 'rejected') assert.equal(settled.reason, thrown);
      }
      const written = await succeeds(subject.orders.update(owner, id, decide(owner, { note: 'last' })));
      assert.deepEqual(await succeeds(subject.orders.find(owner, id)), written.order);
      assert.equal((await subject.events(owner)).length, written.order.version);
    });

    for (const [name, text] of UNSTORABLE_TEXTS) {
      it(`rejects text with ${name}, and stores nothing`, async () => {
        const subject = await open();
        const owner = anOwner();
        const order = await storeOrder(subject, owner);
        const metadata = { [text]: 'key' };
        const fields = [{ note: text }, { reference: text }, { metadata: { value: text } }, { metadata }];
        for (const overrides of [...fields, { items: [anItem({ sku: text })] }, { items: [anItem({ name: text })] }]) {
          const bad = anOrder(overrides);
          await rejects(() => subject.orders.insert(owner, { order: bad, event: anEventOf(owner, bad) }));
        }
        for (const overrides of [...fields, { cancel_reason: text }]) {
          const change = (before: AnyOrder) => {
            const after = { ...before, ...overrides, version: 2 };
            return ok({ order: after, event: anEventOf(owner, after) });
          };
          await rejects(() => subject.orders.update(owner, order.id, change));
        }
        assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), order);
        assert.equal((await subject.events(owner)).length, 1);
      });
    }

    for (const time of INVALID_TIMESTAMPS) {
      it(`rejects a time that is not RFC 3339 in UTC with milliseconds, and stores nothing: ${time}`, async () => {
        const subject = await open();
        const owner = anOwner();
        const order = await storeOrder(subject, owner);
        const entered = Object.keys(definition.noTimes).map((name) => ({ [name]: time }));
        for (const overrides of [{ created_at: time, updated_at: order.updated_at }, ...entered]) {
          const bad = anOrder(overrides);
          await rejects(() => subject.orders.insert(owner, { order: bad, event: anEventOf(owner, bad) }));
        }
        const good = anOrder();
        const event = anEventOf(owner, good, { occurred_at: time });
        await rejects(() => subject.orders.insert(owner, { order: good, event }));
        for (const overrides of [{ updated_at: time }, ...entered]) {
          const change = (before: AnyOrder) => {
            const after = { ...before, ...overrides, version: 2 };
            return ok({ order: after, event: anEventOf(owner, { ...after, updated_at: order.updated_at }) });
          };
          await rejects(() => subject.orders.update(owner, order.id, change));
        }
        await rejects(() =>
          subject.orders.delete(owner, order.id, () =>
            ok(anEventOf(owner, order, { type: 'order.deleted', occurred_at: time })),
          ),
        );
        assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), order);
        assert.equal((await subject.events(owner)).length, 1);
      });
    }
  });
}
