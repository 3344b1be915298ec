import * as assert from '../assertions.ts';
import { aKey } from '../builders.ts';
import { fails, loaded, rejects, type TestRunner } from '../contract-subject.ts';
import type { AnyChange, OrderFixtures } from '../order-fixtures.ts';
import type { StoreBench } from '../store-bench.ts';
import { METADATA } from './aggregates.ts';
import { numbersOf } from './versions.contract.ts';

export function versionsAfterWritesContract(
  { describe, it }: TestRunner,
  open: () => Promise<StoreBench>,
  { anOrder, advance, advanceAgain }: OrderFixtures,
): void {
  describe('the versions of an order', () => {
    it('stay the same when a write is lost, refused, rejected or has a used key, and when it records a key alone', async () => {
      const bench = await open();
      const { orders, owner } = bench;
      await bench.storeOrder(anOrder({ reference: 'PO-1' }));
      const { id } = await bench.storeOrder();
      const before = await loaded(orders, owner, id);
      const key = aKey();
      await bench.update(id, advance, { key });
      const current = await loaded(orders, owner, id);
      const versions = await bench.allVersions(id);
      await bench.update(id, {}, { key: aKey() });
      const lost = bench.decide({ note: 'lost' })(before.aggregate);
      assert.ok(lost.event, 'the change has no event');
      await fails(orders.commit(owner, { kind: 'change', before, ...lost, event: lost.event, key: aKey() }));
      await fails(orders.commit(owner, { kind: 'key_only', before: current, key }));
      await fails(bench.tryUpdate(id, { reference: 'PO-1' }, aKey()));
      await fails(bench.tryUpdate(id, { customer_id: anOrder().id }));
      await fails(bench.tryUpdate(id, { note: 'x' }, { ...key, fingerprint: 'another' }));
      const bug = new Error('a bug');
      const decideWrongly = () => {
        throw bug;
      };
      await rejects(() => orders.commitLocked(owner, id, undefined, decideWrongly));
      assert.deepEqual(await bench.allVersions(id), versions);
      const refused = anOrder({ reference: 'PO-1' });
      await fails(bench.tryStore(refused));
      assert.equal((await fails(bench.tryVersion(refused.id, 1))).type, 'version_not_found');
    });

    it('are what the keys of their writes have recorded, after later changes and the deletion', async () => {
      const bench = await open();
      const keys = Array.from({ length: 6 }, () => aKey());
      const [placing, ...changing] = keys;
      const { id } = await bench.storeOrder(anOrder({ metadata: METADATA }), placing);
      const changes: AnyChange[] = [{ metadata: { b: '4' } }, {}, { note: 'é', ...advance }, advance, advanceAgain];
      for (const [index, wanted] of changes.entries())
        await bench.update(id, wanted, { key: changing[index] ?? aKey() });
      const check = async () => {
        for (const [index, number] of [1, 2, 2, 3, 3, 4].entries()) {
          const recorded = await bench.recorded(keys[index] ?? aKey());
          const version = await bench.version(id, number);
          assert.equal(JSON.stringify(recorded?.aggregate), JSON.stringify(version.order), `write ${index}`);
        }
      };
      await check();
      await bench.removeOrder(id);
      await check();
      assert.deepEqual(numbersOf(await bench.allVersions(id)), [5, 4, 3, 2, 1]);
    });

    it('have no gaps after concurrent changes, and each has all changes before it', async () => {
      const bench = await open();
      const { id } = await bench.storeOrder();
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => bench.update(id, { metadata: { [`key-${index}`]: 'set' } })),
      );
      const versions = (await bench.allVersions(id)).toReversed();
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
      assert.deepEqual(versions.at(-1)?.order, await bench.order(id));
    });
  });
}
