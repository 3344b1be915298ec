import { CUSTOM_BYTES_MAX, CUSTOM_DEPTH_MAX } from '../../orders/order-custom.ts';
import { parseOrderVersionQuery } from '../../orders/order-version.ts';
import { change } from '../aggregate-writes.ts';
import * as assert from '../assertions.ts';
import { aKey } from '../builders.ts';
import { anOwner, loaded, succeeds, type TestRunner } from '../contract-subject.ts';
import type { AnyOrder, OpenAnySubject, OrderFixtures } from '../order-fixtures.ts';

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
  open: OpenAnySubject,
  { anOrder, anEventOf, storeOrder }: OrderFixtures,
): void {
  /** Returns a decision that replaces the custom data. */
  const replace = (owner: string, custom: unknown) => (before: AnyOrder) => {
    const after = { ...before, custom, version: before.version + 1 };
    return { after, event: anEventOf(owner, after, { changed: ['custom'] }) };
  };

  describe('the custom data of an order', () => {
    for (const [name, value] of VALUES) {
      it(`is stored, replaced and removed as a whole: ${name}`, async () => {
        const subject = await open();
        const { orders } = subject;
        const owner = anOwner();
        const placed = await storeOrder(subject, owner, anOrder({ custom: value }));
        assert.deepEqual((await loaded(orders, owner, placed.id)).aggregate, placed);
        const { id } = await storeOrder(subject, owner, anOrder({ custom: { old: { member: true } } }));
        for (const custom of [value, null, value]) {
          const written = await succeeds(change(orders, owner, id, replace(owner, custom)));
          assert.deepEqual((await loaded(orders, owner, id)).aggregate, written.aggregate);
          assert.deepEqual(written.aggregate.custom, custom);
        }
      });
    }

    it('has the same JSON text in versions and the records of keys as in the write', async () => {
      const subject = await open();
      const { orders } = subject;
      const owner = anOwner();
      const [placing, changing] = [aKey(), aKey()];
      const order = await storeOrder(subject, owner, anOrder({ custom: MEMBERS }), placing);
      const { id } = order;
      const changed = (await succeeds(change(orders, owner, id, replace(owner, [MEMBERS, 1.5]), changing))).aggregate;
      await succeeds(change(orders, owner, id, replace(owner, null)));
      const query = parseOrderVersionQuery({})._unsafeUnwrap();
      const versions = (await succeeds(orders.listVersions(owner, id, query))).data;
      const text = (one: { readonly custom?: unknown } | null | undefined) => JSON.stringify(one?.custom);
      assert.deepEqual(
        versions.map((version) => text(version.order)),
        ['null', text(changed), text(order)],
      );
      assert.equal(text((await succeeds(orders.findVersion(owner, id, 2))).order), text(changed));
      assert.equal(text((await succeeds(orders.findRecorded(owner, changing)))?.aggregate), text(changed));
      assert.equal(text((await succeeds(orders.findRecorded(owner, placing)))?.aggregate), text(order));
    });

    it('is returned as a copy', async () => {
      const subject = await open();
      const owner = anOwner();
      const custom = { colours: ['blue'] };
      const { id } = await storeOrder(subject, owner, anOrder({ custom }));
      Object.assign(custom.colours, ['green']);
      for (let time = 0; time < 2; time += 1) {
        const found = (await loaded(subject.orders, owner, id)).aggregate.custom;
        assert.deepEqual(found, { colours: ['blue'] });
        Object.assign(found.colours, ['red']);
      }
    });
  });
}
