import { CUSTOM_BYTES_MAX, CUSTOM_DEPTH_MAX } from '../../orders/order-custom.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import * as assert from '../assertions.ts';
import { aKey } from '../builders.ts';
import { succeeds, type TestRunner } from '../contract-subject.ts';
import type { AnyOrder, OrderFixtures } from '../order-fixtures.ts';
import type { StoreBench } from '../store-bench.ts';

/** Members that lose their order, or disappear, when they are sorted or assigned to an object. */
const MEMBERS = Object.fromEntries<unknown>([
  ['z', 1],
  ['__proto__', { x: [] }],
  ['10', 'ten'],
  ['2', 'two'],
  ['created_at', 'not a time'],
  ['text', '\n\t"\\ “é” 🎁'],
]);

function nested(depth: number): unknown {
  return depth === 0 ? 'deep' : [nested(depth - 1)];
}

/** Values of custom data. An adapter stores every JSON, whatever the parser of the definition accepts today. */
const VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ['an object with any members', MEMBERS],
  ['an array with null in it', [null, [], {}, '', false, 0]],
  ['numbers', [1e21, -1.5, 0.1, 5e-324, 2 ** 53, Number.MAX_VALUE]],
  ['a text', '“é”'],
  ['a number', 7],
  ['false', false],
  ['an empty object', {}],
  ['the deepest value', nested(CUSTOM_DEPTH_MAX)],
  ['the longest value', '€'.repeat((CUSTOM_BYTES_MAX - 4) / 3) + 'xx'],
];

export function customContract(
  { describe, it }: TestRunner,
  open: () => Promise<StoreBench>,
  { anOrder }: OrderFixtures,
): void {
  /** Replaces the custom data of an order. */
  const replace = async (bench: StoreBench, id: string, custom: unknown, key?: Idempotency): Promise<AnyOrder> => {
    const decide = (before: AnyOrder) => {
      const after = { ...before, custom, version: before.version + 1 };
      return { after, event: bench.eventOf(after, { changed: ['custom'] }) };
    };
    return (await succeeds(bench.tryChange(id, decide, key))).aggregate;
  };

  describe('the custom data of an order', () => {
    for (const [name, value] of VALUES) {
      it(`is stored, replaced and removed as a whole: ${name}`, async () => {
        const bench = await open();
        const placed = await bench.storeOrder(anOrder({ custom: value }));
        assert.deepEqual(await bench.order(placed.id), placed);
        const { id } = await bench.storeOrder(anOrder({ custom: { old: { member: true } } }));
        for (const custom of [value, null, value]) {
          const written = await replace(bench, id, custom);
          assert.deepEqual(await bench.order(id), written);
          assert.deepEqual(written.custom, custom);
        }
      });
    }

    it('has the same JSON text in versions and the records of keys as in the write', async () => {
      const bench = await open();
      const [placing, changing] = [aKey(), aKey()];
      const order = await bench.storeOrder(anOrder({ custom: MEMBERS }), placing);
      const { id } = order;
      const changed = await replace(bench, id, [MEMBERS, 1.5], changing);
      await replace(bench, id, null);
      const versions = await bench.allVersions(id);
      const text = (one: { readonly custom?: unknown } | null | undefined) => JSON.stringify(one?.custom);
      assert.deepEqual(
        versions.map((version) => text(version.order)),
        ['null', text(changed), text(order)],
      );
      assert.equal(text((await bench.version(id, 2)).order), text(changed));
      assert.equal(text((await bench.recorded(changing))?.aggregate), text(changed));
      assert.equal(text((await bench.recorded(placing))?.aggregate), text(order));
    });

    it('is returned as a copy', async () => {
      const bench = await open();
      const custom = { colours: ['blue'] };
      const { id } = await bench.storeOrder(anOrder({ custom }));
      Object.assign(custom.colours, ['green']);
      for (let time = 0; time < 2; time += 1) {
        const found = (await bench.order(id)).custom;
        assert.deepEqual(found, { colours: ['blue'] });
        Object.assign(found.colours, ['red']);
      }
    });
  });
}
