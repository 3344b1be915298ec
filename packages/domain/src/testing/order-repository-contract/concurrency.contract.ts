import * as assert from '../assertions.ts';
import { err } from 'neverthrow';
import { anOwner, fails, succeeds, type TestRunner } from '../contract-subject.ts';
import { type AnyOrder, decideDeletion, type OpenAnySubject, type OrderFixtures } from '../order-fixtures.ts';

export function concurrencyContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { storeOrder, decide, advance }: OrderFixtures,
): void {
  describe('concurrent changes of one order', () => {
    it('all apply, one after the other, and none is lost', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
      await Promise.all(
        keys.map((key) => succeeds(subject.orders.update(owner, id, decide(owner, { metadata: { [key]: 'set' } })))),
      );
      const found = await succeeds(subject.orders.find(owner, id));
      assert.equal(found.version, 21);
      assert.deepEqual(Object.keys(found.metadata).toSorted(), keys.toSorted());
      const versions = (await subject.events(owner)).map((event) => event.version);
      assert.deepEqual(
        versions.toSorted((left, right) => left - right),
        Array.from({ length: 21 }, (_, index) => index + 1),
      );
    });

    it('are applied once if only one of them is allowed', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      const changeOnce = decide<never>(owner, advance);
      const results = await Promise.all(
        Array.from({ length: 20 }, () =>
          subject.orders.update(owner, id, (order: AnyOrder) =>
            order.version > 1 ? err({ type: 'already' as const }) : changeOnce(order),
          ),
        ),
      );
      assert.equal(results.filter((result) => result.isOk()).length, 1);
      for (const result of results) if (result.isErr()) assert.equal(result.error.type, 'already');
      assert.equal((await succeeds(subject.orders.find(owner, id))).version, 2);
      assert.equal((await subject.events(owner)).length, 2);
    });

    it('never restore an order that is deleted concurrently', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      const changes = Array.from({ length: 5 }, (_, index) =>
        subject.orders.update(owner, id, decide(owner, { note: `${index}` })),
      );
      const deletion = subject.orders.delete(owner, id, decideDeletion(owner));
      await succeeds(deletion);
      for (const result of await Promise.all(changes)) {
        if (result.isErr()) assert.equal(result.error.type, 'order_not_found');
      }
      assert.equal((await fails(subject.orders.find(owner, id))).type, 'order_not_found');
      const events = (await subject.events(owner)).toSorted((left, right) => left.version - right.version);
      assert.equal(events.at(-1)?.type, 'order.deleted');
      assert.equal(events.at(-1)?.version, events.length);
    });
  });
}
