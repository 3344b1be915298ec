import { FeedBench } from './event-feed-contract/subject.ts';
import { charges } from './store-bench.ts';
import type { OrderDefinition } from '../orders/order-lifecycle.ts';
import type { Timestamp } from '../shared/clock.ts';
import { figuresOf } from '../statistics/order-figures.ts';
import * as assert from './assertions.ts';
import { casesOf, type Open, type OrderStatisticsSubject, succeeds, type TestRunner } from './contract-subject.ts';
import { contractOn } from './contract-on.ts';
import type { AnyOrder, DefinitionOf } from './order-fixtures.ts';

const QUARTERS = ['2026-03-01T10:00:00.000Z', '2026-03-01T10:15:00.000Z', '2026-03-01T10:30:00.000Z'] as const;
const [FIRST, SECOND, END] = QUARTERS;
const IN_FIRST = '2026-03-01T10:14:59.999Z';

/** Registers with `runner` every test that an adapter of the port of statistics must pass. */
export function orderStatisticsContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: Open<OrderStatisticsSubject<D>>,
  ...definition: DefinitionOf<D>
): void {
  const { fixtures, stopping, openBench } = contractOn(runner, open, definition, FeedBench);
  const { describe, it } = casesOf(stopping, async () => {
    const bench = await openBench();
    const { owner, subject } = bench;
    const sums = async (bounds: readonly Timestamp[], limit = 100) => {
      await subject.count?.(owner);
      return await succeeds(subject.statistics.sum(owner, bounds, limit));
    };
    /** The sums that follow from orders. */
    const expected = (orders: readonly AnyOrder[], bounds: readonly Timestamp[]) => {
      const figures = orders.flatMap((order) => figuresOf(order, fixtures.definition));
      const rows = new Map<
        string,
        { bucket: number; status: string; currency: string; orders: number; total: number }
      >();
      for (const { at, status, total } of figures) {
        const bucket = bounds.findLastIndex((bound) => bound <= at);
        const row = { bucket, status, currency: total.currency, orders: 0, total: 0 };
        if (bucket === -1 || bucket === bounds.length - 1) continue;
        const key = `${bucket} ${status} ${total.currency}`;
        const sum = rows.get(key) ?? row;
        rows.set(key, { ...sum, orders: sum.orders + 1, total: sum.total + total.amount });
      }
      return [...rows].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
    };
    const end = async () => (await bench.end()).position;
    return { subject, bench, sums, expected, end };
  });

  describe('the figures of orders', () => {
    it('are within the range that is found', async ({ subject, bench, sums }) => {
      for (const at of [SECOND, FIRST, END]) await bench.place({ at });
      const { as_of } = await sums(QUARTERS);
      const found = await succeeds(subject.statistics.findRange(bench.owner));
      assert.equal(found.as_of, as_of);
      assert.equal(found.range !== null && found.range.from <= FIRST && found.range.before > END, true);
    });

    it('are added up between any quarters of an hour, of days and hours too', async ({ bench, sums, expected }) => {
      const at = (quarter: number) => new Date(Date.parse('1969-12-31T00:00:00Z') + quarter * 900_000).toISOString();
      const orders: AnyOrder[] = [];
      for (const quarter of [0, 3, 4, 90, 95, 96, 97, 100, 191, 192, 193, 287, 288, 300, 383, 384])
        orders.push((await bench.place({ at: at(quarter) })).order);
      const anyBounds = [
        [0, 96, 192, 384],
        [4, 100, 196, 292, 385],
        [23, 119, 215, 311],
        [0, 400],
        [95, 97, 98, 288],
        [1, 383],
      ];
      for (const quarters of anyBounds) {
        const bounds = quarters.map(at);
        assert.deepEqual((await sums(bounds)).sums, expected(orders, bounds));
      }
    });

    it('count each order where it was placed and where it entered a status, between two bounds', async (opened) => {
      const { bench, sums, expected, end } = opened;
      const orders: AnyOrder[] = [];
      for (const at of [FIRST, IN_FIRST, SECOND, END]) {
        const { order } = await bench.place({ at });
        orders.push((await bench.update(order.id, fixtures.advance, { at: SECOND })).aggregate);
      }
      orders.push((await bench.place({ at: FIRST })).order);
      // Versions before an import do not exist.
      orders.push((await bench.place({ at: FIRST, version: 3, event: { type: 'order.imported' } })).order);
      assert.deepEqual(await sums([FIRST, SECOND, END]), {
        sums: expected(orders, [FIRST, SECOND, END]),
        as_of: await end(),
      });
      assert.deepEqual((await sums([FIRST, END])).sums, expected(orders, [FIRST, END]));
      assert.deepEqual((await sums([SECOND, END])).sums, expected(orders, [SECOND, END]));
    });

    it('have the last entry of a status alone, and the current total everywhere', async ({ bench, sums, expected }) => {
      const { order } = await bench.place({ at: FIRST });
      await bench.update(order.id, fixtures.advance, { at: IN_FIRST });
      await sums([FIRST, END]);
      const advanced = (await bench.update(order.id, fixtures.advanceAgain, { at: SECOND })).aggregate;
      assert.deepEqual((await sums([FIRST, SECOND, END])).sums, expected([advanced], [FIRST, SECOND, END]));
      const charged = await bench.command(order.id, { name: 'adjust', adjustments: charges(3) }, { at: END });
      assert.equal(charged.total.amount, advanced.total.amount + 3);
      assert.deepEqual((await sums([FIRST, SECOND, END])).sums, expected([charged], [FIRST, SECOND, END]));
    });

    it('follow a correction', async ({ bench, sums, expected }) => {
      const { order } = await bench.place({ at: FIRST });
      await bench.update(order.id, fixtures.advance, { at: IN_FIRST });
      await sums([FIRST, END]);
      const corrected = await bench.correct(order.id, fixtures.definition.initial, { at: SECOND });
      assert.deepEqual((await sums([FIRST, SECOND, END])).sums, expected([corrected], [FIRST, SECOND, END]));
      await bench.eraseOrder(order.id);
      assert.deepEqual((await sums([FIRST, SECOND, END])).sums, expected([corrected], [FIRST, SECOND, END]));
    });

    it('lose an order with its deletion', async ({ bench, sums, expected, end }) => {
      const { order } = await bench.place({ at: FIRST });
      const { order: kept } = await bench.place({ at: FIRST });
      await bench.update(order.id, fixtures.advance, { at: SECOND });
      await sums([FIRST, END]);
      await bench.orders.remove(order.id);
      const { order: unseen } = await bench.place({ at: FIRST });
      await bench.orders.remove(unseen.id);
      assert.deepEqual(await sums([FIRST, END]), { sums: expected([kept], [FIRST, END]), as_of: await end() });
    });

    it('have sums of each currency, and none that no number can state exactly', async ({ bench, sums }) => {
      const amount = Number.MAX_SAFE_INTEGER;
      await bench.place({ at: FIRST, total: { amount, currency: 'EUR' } });
      await bench.place({ at: FIRST, total: { amount, currency: 'JPY' } });
      const row = { bucket: 0, status: 'placed', orders: 1, total: amount };
      assert.deepEqual((await sums([FIRST, SECOND])).sums, [
        { ...row, currency: 'EUR' },
        { ...row, currency: 'JPY' },
      ]);
      await bench.place({ at: FIRST, total: { amount: 1, currency: 'EUR' } });
      const [euros] = (await sums([FIRST, SECOND])).sums;
      assert.deepEqual(euros, { ...row, currency: 'EUR', orders: 2, total: null });
    });

    it('are at most as many as requested', async ({ bench, sums }) => {
      for (const at of [SECOND, FIRST, FIRST]) await bench.place({ at });
      const all = (await sums(QUARTERS)).sums;
      assert.equal(all.length, 2);
      assert.equal((await sums(QUARTERS, 1)).sums.length, 1);
    });

    it('are those of one owner', async ({ subject, bench, sums }) => {
      await bench.ofAnother().place({ at: FIRST });
      assert.deepEqual(await sums([FIRST, END]), { sums: [], as_of: 0 });
      const found = await succeeds(subject.statistics.findRange(bench.owner));
      assert.deepEqual(found, { range: null, as_of: 0 });
    });
  });
}
