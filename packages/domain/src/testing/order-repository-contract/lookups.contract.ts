import type { CreateOf } from '../../aggregates/aggregate-store.ts';
import { lookupsOf } from '../../orders/lookups.ts';
import { parseOrderQuery, parseOrderSearch } from '../../orders/order-query.ts';
import type { Lookup } from '../../shared/list-filters.ts';
import * as assert from '../assertions.ts';
import { type Cases, succeeds } from '../contract-subject.ts';
import type { AnyOrder, AnyOrderEvent, OrderFixtures } from '../order-fixtures.ts';
import type { StoreBench } from '../store-bench.ts';

const ADA = { name: 'Ada', company: null, email: 'ADA@example.com', phone: null, tax_id: null };
const EVE = { ...ADA, email: 'eve@example.com' };

export function lookupsContract({ describe, it }: Cases<StoreBench>, { anOrder, definition }: OrderFixtures): void {
  const custom = (text: string) => definition.custom && { custom: text };

  /** Checks that each lookup finds the orders that have it, and no others. */
  const check = async (bench: StoreBench, orders: readonly AnyOrder[], ...former: readonly AnyOrder[]) => {
    const all = [...orders, ...former].flatMap((order) => lookupsOf(definition, order).lookups);
    for (const lookup of new Map(all.map((each) => [each.join(':'), each])).values()) {
      const has = (other: Lookup) => other.join(':') === lookup.join(':');
      const expected = orders.filter((order) => lookupsOf(definition, order).lookups.some(has)).map(({ id }) => id);
      const [name, value] = lookup;
      const query =
        name === 'email'
          ? parseOrderSearch({ buyer_email: value.toUpperCase() }, definition)
          : parseOrderQuery({ lookup: lookup.join(':') }, definition);
      const { data } = await succeeds(bench.orders.store.list(bench.owner, query._unsafeUnwrap()));
      assert.deepEqual(data.map(({ id }) => id).toSorted(), expected.toSorted(), lookup.join(':'));
    }
  };

  describe('the lookups of an order', () => {
    it('are those of its external ids, its buyer and its custom data, after each change of them', async (bench) => {
      const external_ids = { shop: ['1', 'a:b', '"{,}\\'], erp: ['1'] };
      const first = await bench.orders.stored(anOrder({ external_ids, buyer: ADA, ...custom('blue') }));
      const second = await bench.orders.stored(anOrder({ external_ids: { shop: ['1'] }, buyer: EVE }));
      await check(bench, [first, second]);
      const set = async (members: Partial<AnyOrder>) => (await bench.orders.set(first.id, members)).aggregate;
      const changed = await set({ external_ids: { shop: ['a:b', '2'] }, buyer: EVE });
      await check(bench, [changed, second], first);
      const again = await set({ ...custom('green'), note: 'only a note, without it' });
      await check(bench, [again, second], first, changed);
      const none = await set({ external_ids: {}, buyer: null, ...(definition.custom && { custom: null }) });
      await check(bench, [none, second], first, changed, again);
    });

    it('leave with the order', async (bench) => {
      const external_ids = { shop: ['1'] };
      const order = await bench.orders.stored(anOrder({ external_ids, buyer: ADA, ...custom('blue') }));
      await bench.orders.remove(order.id);
      await check(bench, [], order);
    });

    it('keep only the external ids when the order is erased', async (bench) => {
      const order = await bench.orders.stored(
        anOrder({ external_ids: { shop: ['1'] }, buyer: ADA, ...custom('blue') }),
      );
      await check(bench, [await bench.eraseOrder(order.id)], order);
    });

    it('are those of each order that is stored together with others', async (bench) => {
      const { store, owner } = bench.orders;
      const all = [{ shop: ['1', '2'] }, {}, { shop: ['2'], erp: ['3'] }].map((external_ids, index) =>
        anOrder({ external_ids, buyer: index === 1 ? ADA : null, ...custom(`${index}`) }),
      );
      const creates = all.map((after): CreateOf<AnyOrder, AnyOrderEvent> => {
        return { kind: 'create', after, event: bench.orders.eventOf(after), key: undefined };
      });
      const outcomes = (await store.commitAll?.(owner, creates, false))?._unsafeUnwrap() ?? creates.map(() => null);
      for (const [index, each] of all.entries()) if (!outcomes[index]) await bench.orders.stored(each);
      await check(bench, all);
    });

    it('find no order of another owner', async (bench) => {
      const members = { external_ids: { shop: ['1'] }, buyer: ADA, ...custom('blue') };
      const order = await bench.orders.stored(anOrder(members));
      await bench.ofAnother().orders.stored(anOrder(members));
      await check(bench, [order]);
    });
  });
}
