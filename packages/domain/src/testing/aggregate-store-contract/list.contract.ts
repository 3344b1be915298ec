import type { DomainEvent } from '../../shared/domain-event.ts';
import type { PageQueryInput } from '../../shared/page-query.ts';
import { SORTS } from '../../shared/page-query.ts';
import * as assert from '../assertions.ts';
import { type Cases, succeeds } from '../contract-subject.ts';
import type { Aggregate, AggregateFixtures, Bench } from './subject.ts';

/** Number of stored aggregates. No owner may have more than ten webhook endpoints, of which tests add three. */
const COUNT = 7;

export function listContract<A extends Aggregate, E extends DomainEvent<string>, Refused>(
  { describe, it }: Cases<Bench<A, E, Refused>>,
  { kind, anAggregate, spoil }: AggregateFixtures<A, E, Refused>,
): void {
  type Query = Omit<PageQueryInput, 'after'> & { readonly after?: PageQueryInput['after'] | null };
  const pageOf = ({ kind: { list } }: Bench<A, E, Refused>, { after, ...query }: Query) =>
    succeeds(list({ ...query, after: after ?? undefined }));

  /** Stores aggregates of which three share each time. The order of their changes is the reverse of their creation. */
  const fill = async ({ stored }: Bench<A, E, Refused>): Promise<readonly A[]> => {
    const all: A[] = [];
    for (let index = 0; index < COUNT; index += 1) {
      const created_at = `2026-01-01T00:00:00.00${Math.floor(index / 3)}Z`;
      const updated_at = `2026-01-02T00:00:00.00${3 - Math.floor(index / 3)}Z`;
      all.push((await stored(anAggregate({ created_at, updated_at }))).aggregate);
    }
    return all;
  };

  const sorted = (all: readonly A[], sort: (typeof SORTS)[number]): readonly A[] => {
    const keyOf = (one: A) => (sort.endsWith('created_at') ? one.created_at : one.updated_at) + one.id;
    const ascending = all.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
    return sort.startsWith('-') ? ascending.toReversed() : ascending;
  };

  /** Returns the aggregates of all pages; `afterEachPage` runs after each page. */
  const readAll = async (
    bench: Bench<A, E, Refused>,
    query: PageQueryInput & { readonly limit: number },
    afterEachPage: (seen: readonly A[]) => Promise<void> = () => Promise.resolve(),
  ): Promise<readonly A[]> => {
    const seen: A[] = [];
    for (let after: Query['after'] = null; ;) {
      const { data, next } = await pageOf(bench, { ...query, after });
      assert.ok(data.length > 0, 'a page was empty');
      assert.ok(data.length <= query.limit, 'a page was longer than its limit');
      seen.push(...data);
      assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length, 'an aggregate was returned twice');
      if (!next) return seen;
      after = next;
      await afterEachPage(seen);
    }
  };

  describe(`the list of all ${kind}`, () => {
    for (const sort of SORTS) {
      it(`is sorted by ${sort}, and has each one once in pages of every size, even with equal timestamps`, async (bench) => {
        const expected = sorted(await fill(bench), sort);
        await bench.ofAnother().stored();
        for (const limit of [1, 2, 3, COUNT, 100])
          assert.deepEqual(await readAll(bench, { sort, limit }), expected, `limit ${limit}`);
      });
    }

    it('begins with the newest', async (bench) => {
      const all = sorted(await fill(bench), '-created_at');
      assert.deepEqual(await pageOf(bench, {}), { data: all, next: null });
    });

    it('skips the number that an offset gives', async (bench) => {
      const all = sorted(await fill(bench), 'updated_at');
      const { data, next } = await pageOf(bench, { sort: 'updated_at', offset: 2, limit: 3 });
      assert.deepEqual(data, all.slice(2, 5));
      const rest = await pageOf(bench, { sort: 'updated_at', after: next });
      assert.deepEqual(rest, { data: all.slice(5), next: null });
      assert.deepEqual(await pageOf(bench, { offset: COUNT }), { data: [], next: null });
    });

    it('continues after one that was deleted in between, and omits none', async (bench) => {
      const all = sorted(await fill(bench), 'created_at');
      const seen = await readAll(bench, { sort: 'created_at', limit: 3 }, async (soFar) => {
        const last = await bench.load(soFar.at(-1)?.id ?? '');
        await succeeds(bench.commit(bench.deletion(last)));
      });
      assert.deepEqual(seen, all);
    });

    it('has copies', async (bench) => {
      const { aggregate } = await bench.stored();
      for (let time = 0; time < 2; time += 1) {
        const { data } = await pageOf(bench, {});
        assert.deepEqual(data, [aggregate]);
        for (const one of data) spoil(one);
      }
    });
  });
}
