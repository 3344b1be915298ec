import * as assert from '../assertions.ts';
import { err } from 'neverthrow';
import { aKey } from '../builders.ts';
import { anOwner, fails, rejects, succeeds, type TestRunner } from '../contract-subject.ts';
import { type AnyChange, decideDeletion, type OpenAnySubject, type OrderFixtures } from '../order-fixtures.ts';
import { allVersions, METADATA, numbersOf } from './versions.contract.ts';

export function versionsAfterWritesContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  fixtures: OrderFixtures,
): void {
  const { anOrder, anEventOf, storeOrder, decide, advance, advanceAgain } = fixtures;
  describe('the versions of an order', () => {
    it('stay the same when a write changes nothing, fails, is rejected or is replayed', async () => {
      const subject = await open();
      const { orders } = subject;
      const owner = anOwner();
      await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }));
      const order = anOrder();
      const { id } = order;
      const [placing, advancing] = [aKey(), aKey()];
      await storeOrder(subject, owner, order, placing);
      const update = (change: AnyChange, idempotency = aKey()) =>
        orders.update(owner, id, decide(owner, change), idempotency);
      await succeeds(update(advance, advancing));
      const versions = await allVersions(subject, owner, id);
      await succeeds(update({}));
      await succeeds(orders.update(owner, id, decide(owner, advance)));
      await fails(orders.update(owner, id, () => err({ type: 'no' }), aKey()));
      await fails(orders.delete(owner, id, () => err({ type: 'no' }), aKey()));
      await fails(update({ reference: 'PO-1' }));
      await fails(update({ customer_id: anOrder().id }));
      await fails(update({ note: 'x' }, { ...advancing, fingerprint: 'another' }));
      await rejects(() => update({ note: '\0' }));
      assert.equal((await succeeds(update({ note: 'x' }, advancing))).replayed, true);
      await storeOrder(subject, owner, anOrder(), placing);
      assert.deepEqual(await allVersions(subject, owner, id), versions);
      const rejected = anOrder({ reference: 'PO-1' });
      await fails(orders.insert(owner, { order: rejected, event: anEventOf(owner, rejected) }));
      assert.equal((await fails(orders.findVersion(owner, rejected.id, 1))).type, 'version_not_found');
    });

    it('are what retries return, after later changes and the deletion', async () => {
      const subject = await open();
      const { orders } = subject;
      const owner = anOwner();
      const order = anOrder({ metadata: METADATA });
      const { id } = order;
      const update = (change: AnyChange) => {
        const idempotency = aKey();
        return () => orders.update(owner, id, decide(owner, change), idempotency);
      };
      const placing = aKey();
      const writes = [
        () => orders.insert(owner, { order, event: anEventOf(owner, order) }, placing),
        update({ metadata: { b: '4' } }),
        update({}),
        update({ note: 'é', ...advance }),
        update(advance),
        update(advanceAgain),
      ];
      for (const write of writes) assert.equal((await succeeds(write())).replayed, false);
      const check = async () => {
        for (const [index, number] of [1, 2, 2, 3, 3, 4].entries()) {
          const replay = await writes[index]?.();
          assert.ok(replay?.isOk(), `write ${index} is not replayed`);
          const version = await succeeds(orders.findVersion(owner, id, number));
          assert.deepEqual(replay.value, { order: version.order, event: null, replayed: true });
          assert.equal(JSON.stringify(replay.value.order), JSON.stringify(version.order));
        }
      };
      await check();
      await succeeds(orders.delete(owner, id, decideDeletion(owner)));
      await check();
      assert.deepEqual(numbersOf(await allVersions(subject, owner, id)), [5, 4, 3, 2, 1]);
    });

    it('have no gaps after concurrent changes, and each has all changes before it', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          succeeds(subject.orders.update(owner, id, decide(owner, { metadata: { [`key-${index}`]: 'set' } }))),
        ),
      );
      const versions = (await allVersions(subject, owner, id)).toReversed();
      assert.deepEqual(
        numbersOf(versions),
        Array.from({ length: 21 }, (_, index) => index + 1),
      );
      for (const [index, { order }] of versions.entries()) {
        const keys = Object.keys(order?.metadata ?? {});
        const before = Object.keys(versions[index - 1]?.order?.metadata ?? {});
        assert.equal(order?.version, index + 1);
        assert.equal(keys.length, index);
        assert.deepEqual(keys.slice(0, -1), before);
      }
      assert.deepEqual(versions.at(-1)?.order, await succeeds(subject.orders.find(owner, id)));
    });
  });
}
