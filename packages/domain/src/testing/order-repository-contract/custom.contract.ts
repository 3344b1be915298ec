import { CUSTOM_BYTES_MAX, CUSTOM_DEPTH_MAX } from '../../orders/order-custom.ts';
import * as assert from '../assertions.ts';
import type { Cases } from '../contract-subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import type { StoreBench } from '../store-bench.ts';
import { METADATA } from './aggregates.ts';

function nested(depth: number): unknown {
  return depth === 0 ? 'deep' : [nested(depth - 1)];
}

/** Values of custom data. An adapter stores every JSON, whatever the parser of the definition accepts today. */
const VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ['an object with any members', METADATA],
  ['an array with null in it', [null, [], {}, '', false, 0]],
  ['numbers', [1e21, -1.5, 0.1, 5e-324, 2 ** 53, Number.MAX_VALUE]],
  ['a text', '“é”'],
  ['a number', 7],
  ['false', false],
  ['an empty object', {}],
  ['the deepest value', nested(CUSTOM_DEPTH_MAX)],
  ['the longest value', '€'.repeat((CUSTOM_BYTES_MAX - 4) / 3) + 'xx'],
];

export function customContract({ describe, it }: Cases<StoreBench>, { anOrder }: OrderFixtures): void {
  describe('the custom data of an order', () => {
    for (const [name, value] of VALUES) {
      it(`is stored, replaced and removed as a whole: ${name}`, async (bench) => {
        const placed = await bench.orders.stored(anOrder({ custom: value }));
        assert.deepEqual(await bench.orders.get(placed.id), placed);
        const { id } = await bench.orders.stored(anOrder({ custom: { old: { member: true } } }));
        for (const custom of [value, null, value]) {
          const { aggregate: written } = await bench.orders.set(id, { custom });
          assert.deepEqual(await bench.orders.get(id), written);
          assert.deepEqual(written.custom, custom);
        }
      });
    }
  });
}
