import { change, create } from '../aggregate-writes.ts';
import * as assert from '../assertions.ts';
import { aKey } from '../builders.ts';
import { anOwner, fails, loaded, rejects, succeeds, type TestRunner } from '../contract-subject.ts';
import { type AnyChange, type OpenAnySubject, type OrderFixtures, removeOrder } from '../order-fixtures.ts';
import { METADATA } from './aggregates.ts';
import { allVersions, numbersOf } from './versions.contract.ts';

export function versionsAfterWritesContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  fixtures: OrderFixtures,
): void {
  const { anOrder, anEventOf, storeOrder, decide, update, advance, advanceAgain } = fixtures;
  describe('the versions of an order', () => {
    it('stay the same when a write is lost, refused, rejected or has a used key, and when it records a key alone', async () => {
      const subject = await open();
      const { orders } = subject;
      const owner = anOwner();
      await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }));
      const { id } = await storeOrder(subject, owner);
      const before = await loaded(orders, owner, id);
      const key = aKey();
      await update(subject, owner, id, advance, { key });
      const current = await loaded(orders, owner, id);
      const versions = await allVersions(subject, owner, id);
      await update(subject, owner, id, {}, { key: aKey() });
      const lost = decide(owner, { note: 'lost' })(before.aggregate);
      assert.ok(lost.event, 'the change has no event');
      await fails(orders.commit(owner, { kind: 'change', before, ...lost, event: lost.event, key: aKey() }));
      await fails(orders.commit(owner, { kind: 'key_only', before: current, key }));
      await fails(change(orders, owner, id, decide(owner, { reference: 'PO-1' }), aKey()));
      await fails(change(orders, owner, id, decide(owner, { customer_id: anOrder().id })));
      await fails(change(orders, owner, id, decide(owner, { note: 'x' }), { ...key, fingerprint: 'another' }));
      const bug = new Error('a bug');
      const decideWrongly = () => {
        throw bug;
      };
      await rejects(() => orders.commitLocked(owner, id, undefined, decideWrongly));
      assert.deepEqual(await allVersions(subject, owner, id), versions);
      const refused = anOrder({ reference: 'PO-1' });
      await fails(create(orders, owner, refused, anEventOf(owner, refused)));
      assert.equal((await fails(orders.findVersion(owner, refused.id, 1))).type, 'version_not_found');
    });

    it('are what the keys of their writes have recorded, after later changes and the deletion', async () => {
      const subject = await open();
      const { orders } = subject;
      const owner = anOwner();
      const keys = Array.from({ length: 6 }, () => aKey());
      const [placing, ...changing] = keys;
      const { id } = await storeOrder(subject, owner, anOrder({ metadata: METADATA }), placing);
      const changes: AnyChange[] = [{ metadata: { b: '4' } }, {}, { note: 'é', ...advance }, advance, advanceAgain];
      for (const [index, wanted] of changes.entries())
        await update(subject, owner, id, wanted, { key: changing[index] ?? aKey() });
      const check = async () => {
        for (const [index, number] of [1, 2, 2, 3, 3, 4].entries()) {
          const recorded = await succeeds(orders.findRecorded(owner, keys[index] ?? aKey()));
          const version = await succeeds(orders.findVersion(owner, id, number));
          assert.equal(JSON.stringify(recorded?.aggregate), JSON.stringify(version.order), `write ${index}`);
        }
      };
      await check();
      await removeOrder(subject, owner, id);
      await check();
      assert.deepEqual(numbersOf(await allVersions(subject, owner, id)), [5, 4, 3, 2, 1]);
    });

    it('have no gaps after concurrent changes, and each has all changes before it', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => update(subject, owner, id, { metadata: { [`key-${index}`]: 'set' } })),
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
      assert.deepEqual(versions.at(-1)?.order, (await loaded(subject.orders, owner, id)).aggregate);
    });
  });
}
