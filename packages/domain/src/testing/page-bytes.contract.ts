import type { Timestamp } from '../shared/clock.ts';
import { type Owner } from '../shared/ids.ts';
import type { Metadata } from '../shared/metadata.ts';
import { freeTextBytes, PAGE_BYTES_MAX } from '../shared/page-bytes.ts';
import type { PageQueryInput } from '../shared/page-query.ts';
import type { Page } from '../shared/page.ts';
import * as assert from './assertions.ts';
import { anOwner, type TestRunner } from './contract-subject.ts';

/** An order or customer of a list. */
interface Listed {
  readonly id: string;
  readonly note?: string | null;
  readonly metadata: Metadata;
}

/** A list of orders or customers. */
export interface ByteList {
  /** Keeps one whose free text has so many bytes. */
  readonly storeEntry: (owner: Owner, bytes: number) => Promise<Listed>;
  readonly page: (owner: Owner, query: PageQueryInput) => Promise<Page<Listed, Timestamp>>;
}

/** Characters of one to four bytes, and some that JSON escapes: 1,850 bytes in 500 code points. */
const FULL = '😀'.repeat(400) + '\n'.repeat(50) + '€'.repeat(50);
const FULL_BYTES = 1850;

/** `,"k10":""` */
const ENTRY_BYTES = 9;

/** Metadata within the limits of the domain whose JSON has so many bytes, of at most 88,000. */
export function metadataOfBytes(bytes: number): Metadata {
  const metadata: Record<string, string> = {};
  const add = (value: string) => (metadata[`k${10 + Object.keys(metadata).length}`] = value);
  // An object has one comma less than members, and two braces.
  let left = bytes - 1;
  for (; left > 2 * (ENTRY_BYTES + FULL_BYTES); left -= ENTRY_BYTES + FULL_BYTES) add(FULL);
  while (left > 0) {
    const length = Math.min(left - ENTRY_BYTES, 400);
    const rest = left - ENTRY_BYTES - length;
    const shorter = rest > 0 && rest < ENTRY_BYTES ? ENTRY_BYTES : 0;
    add('x'.repeat(length - shorter));
    left = rest + shorter;
  }
  return metadata;
}

const COUNT = 12;
const BYTES = Math.floor(PAGE_BYTES_MAX / COUNT);

/** Registers the tests of how many bytes a page of a list has. */
export function pageBytesContract({ describe, it }: TestRunner, list: string, open: () => Promise<ByteList>): void {
  const query = (input: PageQueryInput): PageQueryInput => ({ sort: 'created_at', limit: 100, ...input });
  const sizes = async (page: Promise<Page<Listed, Timestamp>>) => (await page).data.length;
  const ids = (all: readonly Listed[]) => all.map(({ id }) => id).toSorted();

  /** Keeps a dozen whose free text exceeds that of a page by so many bytes, and two small ones behind them. */
  const fill = async ({ storeEntry }: ByteList, owner: Owner, excess: number): Promise<readonly Listed[]> => {
    const stored: Listed[] = [];
    for (let count = 1; count < COUNT; count += 1) stored.push(await storeEntry(owner, BYTES));
    stored.push(await storeEntry(owner, PAGE_BYTES_MAX + excess - BYTES * (COUNT - 1)));
    const bytes = stored.reduce((sum, one) => sum + freeTextBytes(one), 0);
    assert.equal(bytes, PAGE_BYTES_MAX + excess, 'the contract keeps another size than it means to');
    return [...stored, await storeEntry(owner, 30), await storeEntry(owner, 30)];
  };

  describe(`a page of ${list}`, () => {
    it('has free text of 256 KiB, counted in bytes, and ends before it would have more', async () => {
      const subject = await open();
      const owner = anOwner();
      const stored = await fill(subject, owner, 0);
      const first = await subject.page(owner, query({}));
      assert.equal(first.data.length, COUNT, 'free text of 256 KiB fits');
      assert.ok(first.next, 'a page that ends early is not the last');
      const rest = await subject.page(owner, query({ after: first.next }));
      assert.equal(rest.next, null);
      assert.deepEqual(ids([...first.data, ...rest.data]), ids(stored));
    });

    it('ends one earlier when its free text would have one byte more, and a walk shows each once', async () => {
      const subject = await open();
      const owner = anOwner();
      const stored = await fill(subject, owner, 1);
      const seen: Listed[] = [];
      const lengths: number[] = [];
      for (let after: PageQueryInput['after']; ;) {
        const { data, next } = await subject.page(owner, query({ after }));
        assert.ok(data.length > 0, 'a page in the middle was empty');
        seen.push(...data);
        lengths.push(data.length);
        if (!next) break;
        after = next;
      }
      assert.deepEqual(lengths, [COUNT - 1, 3]);
      assert.deepEqual(ids(seen), ids(stored));
      assert.equal(await sizes(subject.page(owner, query({ limit: COUNT - 1 }))), COUNT - 1);
    });

    it('counts nothing that an offset skips', async () => {
      const subject = await open();
      const owner = anOwner();
      await fill(subject, owner, 1);
      const first = await subject.page(owner, query({ offset: 1 }));
      assert.equal(first.data.length, COUNT + 1);
      assert.equal(first.next, null);
      await subject.storeEntry(owner, BYTES);
      const early = await subject.page(owner, query({ offset: 1 }));
      assert.equal(early.data.length, COUNT + 1);
      assert.ok(early.next, 'a page that ends early is not the last');
      assert.equal(await sizes(subject.page(owner, query({ after: early.next }))), 1);
    });
  });
}
