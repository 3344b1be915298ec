import * as assert from '../assertions.ts';
import { err } from 'neverthrow';
import { anOrder } from '../builders.ts';
import {
  anOwner,
  decide,
  fails,
  type OpenSubject,
  storeCustomer,
  storeOrder,
  succeeds,
  type TestRunner,
} from '../contract-subject.ts';

export function updateContract({ describe, it }: TestRunner, open: OpenSubject): void {
  describe('updating an order', () => {
    it('stores every field that may change', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner, anOrder({ metadata: { a: '1', b: '2' } }));
      const change = {
        status: 'cancelled',
        cancel_reason: 'changed my mind',
        customer_id: (await storeCustomer(subject, owner)).id,
        reference: 'PO-7',
        note: 'ring twice',
        metadata: { a: null, c: '3' },
      } as const;
      const written = await succeeds(subject.orders.update(owner, order.id, decide(owner, change)));
      const at = '2026-01-02T03:05:00.000Z';
      const { customer_id, reference, note, cancel_reason } = change;
      const changed = { customer_id, reference, note, cancel_reason, metadata: { b: '2', c: '3' } };
      const expected = { ...order, ...changed, status: 'cancelled', version: 2, updated_at: at, cancelled_at: at };
      assert.deepEqual(written.order, expected);
      assert.equal(written.replayed, false);
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), expected);
    });

    it('stores the time at which each status was entered', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      for (const [minute, status] of (['paid', 'shipped', 'delivered'] as const).entries()) {
        await succeeds(subject.orders.update(owner, id, decide(owner, { status }, `2026-01-02T04:0${minute}:00.120Z`)));
      }
      const found = await succeeds(subject.orders.find(owner, id));
      assert.deepEqual(
        [found.paid_at, found.shipped_at, found.delivered_at, found.cancelled_at, found.version],
        ['2026-01-02T04:00:00.120Z', '2026-01-02T04:01:00.120Z', '2026-01-02T04:02:00.120Z', null, 4],
      );
    });

    it('records one event with each change', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      const written = await succeeds(subject.orders.update(owner, id, decide(owner, { note: 'x', status: 'paid' })));
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
