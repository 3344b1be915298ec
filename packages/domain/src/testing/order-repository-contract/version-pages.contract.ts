import type { OrderVersionQueryInput } from '../../orders/order-version.ts';
import type { Timestamp } from '../../shared/clock.ts';
import * as assert from '../assertions.ts';
import type { Cases } from '../contract-subject.ts';
import type { AnyVersion } from '../order-fixtures.ts';
import { minute, type StoreBench } from '../store-bench.ts';
import { numbersOf } from './versions.contract.ts';

/** Returns the version numbers of each page, from the newest to the oldest version. */
async function readAllPages(bench: StoreBench, id: string, limit: number): Promise<number[][]> {
  const pages: number[][] = [];
  for (let after: OrderVersionQueryInput['after']; ;) {
    const { data, next } = await bench.versions(id, { limit, after });
    assert.ok(data.length > 0, 'a page was empty');
    assert.ok(data.length <= limit, 'a page was longer than its limit');
    const isNewer = ({ version }: AnyVersion) => version >= (after?.value ?? Infinity);
    assert.ok(!data.some(isNewer), 'a version was returned twice');
    pages.push(numbersOf(data));
    if (!next) return pages;
    assert.deepEqual(next, { value: data.at(-1)?.version, id });
    after = next;
  }
}

/** Returns the numbers from `first` down to `last`. */
const countDown = (first: number, last: number): number[] =>
  Array.from({ length: first - last + 1 }, (_, index) => first - index);

/** Stores an order whose versions occurred at `times`, and returns its id. */
async function storeVersions(bench: StoreBench, times: readonly Timestamp[]): Promise<string> {
  const [created_at, ...changes] = times;
  const { id } = await bench.orders.stored(bench.fixtures.anOrder(created_at === undefined ? {} : { created_at }));
  for (const [index, at] of changes.entries()) await bench.update(id, { note: `${index}` }, { at });
  return id;
}

const later = (time: Timestamp, milliseconds: number): Timestamp =>
  new Date(Date.parse(time) + milliseconds).toISOString();

export function versionPagesContract({ describe, it }: Cases<StoreBench>): void {
  describe('a page of versions', () => {
    it('has the newest first, and following pages of every size return each version once', async (bench) => {
      await storeVersions(bench, countDown(3, 1).map(minute).toReversed());
      const id = await storeVersions(bench, countDown(12, 1).map(minute).toReversed());
      for (const limit of [1, 2, 5, 11, 12, 13, 100]) {
        const pages = await readAllPages(bench, id, limit);
        assert.deepEqual(pages.flat(), countDown(12, 1), `limit ${limit}`);
        assert.equal(pages.length, Math.ceil(12 / limit), `limit ${limit}`);
      }
    });

    it('starts after a position, whether or not a version has its number', async (bench) => {
      const id = await storeVersions(bench, [minute(0), minute(1), minute(1), minute(2)]);
      for (const value of [1, 2, 3, 4, 5, 100, Number.MAX_SAFE_INTEGER]) {
        const { data, next } = await bench.versions(id, { after: { value, id } });
        assert.deepEqual(numbersOf(data), countDown(Math.min(value - 1, 4), 1), `after ${value}`);
        assert.equal(next, null, `after ${value}`);
      }
    });

    it('continues after versions that were made in between, and omits no earlier version', async (bench) => {
      const id = await storeVersions(bench, [minute(0), minute(1), minute(2)]);
      const first = await bench.versions(id, { limit: 1 });
      await bench.update(id, { note: 'x' }, { at: minute(3) });
      await bench.orders.remove(id);
      const rest = await bench.versions(id, { after: first.next ?? undefined });
      assert.deepEqual([numbersOf(first.data), numbersOf(rest.data), rest.next], [[3], [2, 1], null]);
    });
  });

  describe('the version of an order at a time', () => {
    it('is the highest that occurred then or before, alone whatever the limit, also after the deletion', async (bench) => {
      const times = [0, 1, 1, 1, 2, 4, 4, 5, 8, 9, 9].map(minute);
      await storeVersions(bench, [minute(0), minute(9)]);
      const id = await storeVersions(bench, times);
      await bench.orders.remove(id);
      // The deletion occurred at the time of the last change.
      const occurred = [...times, minute(9)];
      const versions = (await bench.versions(id, { limit: 100 })).data;
      const found = versions.map(({ occurred_at }) => occurred_at);
      assert.deepEqual(found, occurred.toReversed());
      const around = occurred.flatMap((time) => [later(time, -1), time, later(time, 1)]);
      for (const [index, at] of ['0001-01-01T00:00:00.000Z', ...around, '9999-12-31T23:59:59.999Z'].entries()) {
        const version = await bench.versions(id, { at, limit: (index % 3) + 1 });
        const expected = versions.find((one) => one.version === occurred.filter((time) => time <= at).length);
        assert.deepEqual(version, { data: expected ? [expected] : [], next: null }, `at ${at}`);
      }
    });
  });
}
