import type { Timestamp } from '../shared/clock.ts';
import type { Metadata } from '../shared/metadata.ts';
import { freeTextBytes, PAGE_BYTES_MAX } from '../shared/page-bytes.ts';
import type { PageQueryInput } from '../shared/page-query.ts';
import type { Page } from '../shared/page.ts';
import * as assert from './assertions.ts';
import type { TestRunner } from './contract-subject.ts';

/** An order or customer, as a list returns it. */
interface Listed {
  readonly id: string;
  readonly note?: string | null;
  readonly metadata: Metadata;
  readonly custom?: unknown;
}

/** Access to the orders or customers of one owner, who has none. */
export interface ByteList {
  /** Stores an order or customer whose free text has `bytes` bytes. */
  readonly storeEntry: (bytes: number) => Promise<Listed>;
  readonly page: (query: PageQueryInput) => Promise<Page<Listed, Timestamp>>;
}

const COUNT = 12;
const BYTES = Math.floor(PAGE_BYTES_MAX / COUNT);

/** Registers the tests of the maximum bytes of a page; `name` is that of the list in their titles. */
export function pageBytesContract({ describe, it }: TestRunner, name: string, open: () => Promise<ByteList>): void {
  const query = (input: PageQueryInput): PageQueryInput => ({ sort: 'created_at', limit: 100, ...input });
  const sizes = async (page: Promise<Page<Listed, Timestamp>>) => (await page).data.length;
  const ids = (all: readonly Listed[]) => all.map(({ id }) => id).toSorted();

  /** Stores twelve entries whose free text exceeds the maximum of a page by `excess` bytes, and two small ones. */
  const fill = async ({ storeEntry }: ByteList, excess: number): Promise<readonly Listed[]> => {
    const stored: Listed[] = [];
    for (let count = 1; count < COUNT; count += 1) stored.push(await storeEntry(BYTES));
    stored.push(await storeEntry(PAGE_BYTES_MAX + excess - BYTES * (COUNT - 1)));
    const bytes = stored.reduce((sum, one) => sum + freeTextBytes(one), 0);
    assert.equal(bytes, PAGE_BYTES_MAX + excess, 'the entries that the contract stores have an unexpected size');
    return [...stored, await storeEntry(30), await storeEntry(30)];
  };

  describe(`a page of ${name}`, () => {
    it('holds up to 256 KiB of free text, counted in bytes, and ends before it would exceed them', async () => {
      const list = await open();
      const stored = await fill(list, 0);
      const first = await list.page(query({}));
      assert.equal(first.data.length, COUNT, 'free text of 256 KiB fits');
      assert.ok(first.next, 'a page that ends early must not be the last');
      const rest = await list.page(query({ after: first.next }));
      assert.equal(rest.next, null);
      assert.deepEqual(ids([...first.data, ...rest.data]), ids(stored));
    });

    it('ends one element earlier at one byte more, and the following pages return each element once', async () => {
      const list = await open();
      const stored = await fill(list, 1);
      const seen: Listed[] = [];
      const lengths: number[] = [];
      for (let after: PageQueryInput['after']; ;) {
        const { data, next } = await list.page(query({ after }));
        assert.ok(data.length > 0, 'a page was empty');
        seen.push(...data);
        lengths.push(data.length);
        if (!next) break;
        after = next;
      }
      assert.deepEqual(lengths, [COUNT - 1, 3]);
      assert.deepEqual(ids(seen), ids(stored));
      assert.equal(await sizes(list.page(query({ limit: COUNT - 1 }))), COUNT - 1);
    });

    it('does not count elements that an offset skips', async () => {
      const list = await open();
      await fill(list, 1);
      const first = await list.page(query({ offset: 1 }));
      assert.equal(first.data.length, COUNT + 1);
      assert.equal(first.next, null);
      await list.storeEntry(BYTES);
      const early = await list.page(query({ offset: 1 }));
      assert.equal(early.data.length, COUNT + 1);
      assert.ok(early.next, 'a page that ends early must not be the last');
      assert.equal(await sizes(list.page(query({ after: early.next }))), 1);
    });
  });
}
