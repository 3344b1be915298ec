import { PAGE_BYTES_MAX } from '../shared/page-bytes.ts';
import * as assert from './assertions.ts';
import { aFulfillment, anAdjustment, anItem } from './builders.ts';
import type { Cases } from './contract-subject.ts';
import type { AnyOrder } from './order-fixtures.ts';

/** A list of one owner, who has none of its entries. */
export interface SizedList<Position> {
  /** Stores a further entry, whose free text has so many bytes. */
  readonly storeText: (bytes: number) => Promise<unknown>;
  /** Stores a further entry with {@link membersOf} so many elements. Default: entries have none. */
  readonly storeElements?: (count: number) => Promise<unknown>;
  /** Returns the ids on a page of at most 100 entries. */
  readonly page: (query: {
    readonly after?: Position | undefined;
    readonly offset?: number | undefined;
  }) => Promise<{ readonly ids: readonly unknown[]; readonly next: Position | null }>;
}

/** Number of entries with whose free text a page is full. */
const COUNT = 16;
const BYTES = PAGE_BYTES_MAX / COUNT;

/** Returns members of an order that together have so many elements, at least 50, of every kind. */
export function membersOf(elements: number): Partial<AnyOrder> {
  const items = Array.from({ length: 10 }, () => anItem({ fulfilled_quantity: 2 }));
  const adjustments = Array.from({ length: elements - 50 }, () => anAdjustment());
  return { items, adjustments, fulfillments: Array.from({ length: 4 }, () => aFulfillment(items)) };
}

/** Registers the tests of the maximum size of a page; `name` is that of the list in their titles. */
export function pageSizeContract<Position>(
  { describe, it }: Cases<SizedList<Position>>,
  name: string,
  has: { readonly elements: boolean; readonly offset: boolean },
): void {
  /** Stores entries, and returns the numbers of those on each page. */
  const lengthsOf = async ({ page }: SizedList<Position>, count: number, store: (index: number) => unknown) => {
    for (let stored = 0; stored < count; stored += 1) await store(stored);
    const pages: (readonly unknown[])[] = [];
    for (let after: Position | undefined; ;) {
      const { ids, next } = await page({ after });
      assert.ok(ids.length > 0, 'a page was empty');
      pages.push(ids);
      if (next === null) break;
      after = next;
    }
    assert.equal(new Set(pages.flat()).size, count, 'the number of entries on all pages');
    return pages.map(({ length }) => length);
  };

  describe(`a page of ${name}`, () => {
    it('holds up to 256 KiB of free text, counted in bytes, and ends before it would exceed them', async (list) => {
      const lengths = await lengthsOf(list, COUNT + 2, () => list.storeText(BYTES));
      assert.deepEqual(lengths, [COUNT, 2], 'free text of 256 KiB fits');
    });

    it('ends one element earlier at one byte more, and the following pages return each element once', async (list) => {
      // It is on the first page, whichever end the list begins at.
      const bytesOf = (index: number) => (index === COUNT / 2 ? BYTES + 1 : BYTES);
      const lengths = await lengthsOf(list, COUNT + 2, (index) => list.storeText(bytesOf(index)));
      assert.deepEqual(lengths, [COUNT - 1, 3]);
    });

    if (has.elements)
      for (const [size, lengths] of [
        [100, [10, 1]],
        [101, [9, 2]],
      ] as const)
        it(`holds up to 1,000 items, adjustments and quantities of fulfillments, as ${size} each`, async (list) => {
          assert.deepEqual(await lengthsOf(list, 11, () => list.storeElements?.(size)), lengths);
        });

    if (has.offset)
      it('does not count elements that an offset skips', async (list) => {
        for (let stored = 0; stored < COUNT + 2; stored += 1) await list.storeText(BYTES);
        assert.equal((await list.page({ offset: 1 })).ids.length, COUNT);
      });
  });
}
