import assert from 'node:assert/strict';
import { anOrder } from '../builders.ts';
import { anOwner, keep, type OpenSubject, refuses, succeeds, type TestRunner } from '../contract-subject.ts';

export function findContract({ describe, it }: TestRunner, open: OpenSubject): void {
  describe('finding an order', () => {
    it('says of an unknown id that there is no such order', async () => {
      const { orders } = await open();
      const { id } = anOrder();
      assert.deepEqual(await refuses(orders.find(anOwner(), id)), { type: 'order_not_found', id });
    });

    it('hands out a copy: changing it changes nothing kept', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = anOrder({ metadata: { colour: 'blue' } });
      const written = await keep(subject, owner, order);
      Object.assign(written.metadata, { colour: 'red' });
      Object.assign(order.metadata, { colour: 'green' });
      const found = await succeeds(subject.orders.find(owner, order.id));
      assert.deepEqual(found.metadata, { colour: 'blue' });
      Object.assign(found.metadata, { colour: 'black' });
      const again = await succeeds(subject.orders.find(owner, order.id));
      assert.deepEqual(again.metadata, { colour: 'blue' });
    });
  });
}
