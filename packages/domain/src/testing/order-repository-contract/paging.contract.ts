import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import * as assert from '../assertions.ts';
import { type OrderQueryInput, parseOrderQuery } from '../../orders/order-query.ts';
import type { OrderRepository } from '../../orders/order-repository.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Timestamp } from '../../shared/clock.ts';
import { type Page, PAGE_LIMIT_DEFAULT } from '../../shared/page.ts';
import { anItem } from '../builders.ts';
import { anOwner, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import { pageBytesContract } from '../page-bytes.contract.ts';
import {
  type AnyOrder,
  type AnySubject,
  decideDeletion,
  type OpenAnySubject,
  type OrderFixtures,
} from '../order-fixtures.ts';

const SORTS = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const;

type ReadPage = (
  orders: OrderRepository<OrderDefinition>,
  owner: Owner,
  input: OrderQueryInput,
) => Promise<Page<AnyOrder, Timestamp>>;

function pageReader(definition: OrderDefinition): ReadPage {
  return (orders, owner, input) => succeeds(orders.list(owner, parseOrderQuery(input, definition)._unsafeUnwrap()));
}

/** Returns the orders of all pages by following `next`; `afterEachPage` runs after each page. */
async function readAllPages(
  page: ReadPage,
  orders: OrderRepository<OrderDefinition>,
  owner: Owner,
  input: OrderQueryInput,
  afterEachPage: (seen: readonly AnyOrder[]) => Promise<void> = () => Promise.resolve(),
): Promise<AnyOrder[]> {
  const seen: AnyOrder[] = [];
  let after: OrderQueryInput['after'];
  do {
    const { data, next } = await page(orders, owner, { ...input, after });
    assert.ok(data.length > 0, 'a page was empty');
    assert.ok(data.length <= (input.limit ?? PAGE_LIMIT_DEFAULT), 'a page was longer than its limit');
    seen.push(...data);
    assert.equal(new Set(idsOf(seen)).size, seen.length, 'an order was returned twice');
    after = next ?? undefined;
    await afterEachPage(seen);
  } while (after);
  return seen;
}

/**
 * Stores twelve orders of all statuses, or the first twelve, and two customers. Four orders share each millisecond, and the order of their
 * updates is the reverse of their creation.
 */
async function storeTwelveOrders(
  { definition, anOrder, storeOrder }: OrderFixtures,
  subject: AnySubject,
  owner: Owner,
): Promise<AnyOrder[]> {
  const customers = [(await storeCustomer(subject, owner)).id, (await storeCustomer(subject, owner)).id, null];
  const { statuses, initial } = definition;
  const stored: AnyOrder[] = [];
  for (let index = 0; index < 12; index += 1) {
    const order = anOrder({
      status: statuses[index % statuses.length] ?? initial,
      customer_id: customers[index % 3] ?? null,
      reference: `PO-${index}`,
      created_at: `2026-01-01T00:00:00.00${Math.floor(index / 4)}Z`,
      updated_at: `2026-01-02T00:00:00.00${3 - Math.floor(index / 4)}Z`,
    });
    stored.push(await storeOrder(subject, owner, order));
  }
  return stored;
}

function expectedIds(orders: readonly AnyOrder[], sort: (typeof SORTS)[number]): string[] {
  const sortKey = (order: AnyOrder) => (sort.endsWith('created_at') ? order.created_at : order.updated_at) + order.id;
  const ascending = orders.toSorted((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1)).map(({ id }) => id);
  return sort.startsWith('-') ? ascending.toReversed() : ascending;
}

const idsOf = (orders: readonly AnyOrder[]): string[] => orders.map(({ id }) => id);

export function pagingContract({ describe, it }: TestRunner, open: OpenAnySubject, fixtures: OrderFixtures): void {
  const { definition, anOrder, storeOrder } = fixtures;
  const page = pageReader(definition);
  describe('listing orders', () => {
    it('returns an empty last page for an owner without orders', async () => {
      const { orders } = await open();
      assert.deepEqual(await page(orders, anOwner(), {}), { data: [], next: null });
    });

    it('returns whole orders, the newest first', async () => {
      const subject = await open();
      const owner = anOwner();
      const first = await storeOrder(
        subject,
        owner,
        anOrder({ items: [anItem(), anItem({ sku: 'B' })], metadata: { a: 'b' } }),
      );
      const second = await storeOrder(subject, owner, anOrder({ created_at: '2026-02-01T00:00:00.000Z' }));
      assert.deepEqual(await page(subject.orders, owner, {}), { data: [second, first], next: null });
    });

    for (const sort of SORTS) {
      it(`sorts by ${sort} and returns each order once in pages of every size, even with equal timestamps`, async () => {
        const subject = await open();
        const owner = anOwner();
        const stored = await storeTwelveOrders(fixtures, subject, owner);
        for (const limit of [1, 3, 5, 12, 100]) {
          const seen = await readAllPages(page, subject.orders, owner, { sort, limit });
          assert.deepEqual(idsOf(seen), expectedIds(stored, sort), `limit ${limit}`);
        }
      });

      it(`sorts by ${sort} and filters by status, several statuses, customer, status and customer, and reference`, async () => {
        const subject = await open();
        const owner = anOwner();
        const stored = await storeTwelveOrders(fixtures, subject, owner);
        const customer_id = stored[0]?.customer_id ?? '';
        const statusOf = (index: number) => stored[index]?.status ?? '';
        const among = (...indices: readonly number[]) => [...new Set(indices.map(statusOf))];
        const filters: [OrderQueryInput, (order: AnyOrder) => boolean][] = [
          [{ status: among(1) }, ({ status }) => status === statusOf(1)],
          [{ status: among(0, 4) }, ({ status }) => among(0, 4).includes(status)],
          [{ customer_id }, (order) => order.customer_id === customer_id],
          [
            { customer_id, status: among(0, 3) },
            (order) => order.customer_id === customer_id && among(0, 3).includes(order.status),
          ],
          [{ reference: 'PO-4' }, (order) => order.reference === 'PO-4'],
        ];
        for (const [filter, matches] of filters) {
          const seen = await readAllPages(page, subject.orders, owner, { ...filter, sort, limit: 2 });
          assert.deepEqual(idsOf(seen), expectedIds(stored.filter(matches), sort), JSON.stringify(filter));
        }
      });
    }

    it('skips the number of orders that an offset gives', async () => {
      const subject = await open();
      const owner = anOwner();
      const stored = expectedIds(await storeTwelveOrders(fixtures, subject, owner), '-created_at');
      const { data, next } = await page(subject.orders, owner, { offset: 4, limit: 3 });
      assert.deepEqual(idsOf(data), stored.slice(4, 7));
      const rest = await page(subject.orders, owner, { after: next ?? undefined });
      assert.deepEqual(idsOf(rest.data), stored.slice(7));
      assert.deepEqual(await page(subject.orders, owner, { offset: 12 }), { data: [], next: null });
    });

    it('continues after an order that was deleted in between, and omits no order', async () => {
      const subject = await open();
      const owner = anOwner();
      const stored = await storeTwelveOrders(fixtures, subject, owner);
      const seen = await readAllPages(page, subject.orders, owner, { sort: 'created_at', limit: 3 }, async (soFar) => {
        const last = soFar.at(-1);
        if (last) await succeeds(subject.orders.delete(owner, last.id, decideDeletion(owner)));
      });
      assert.deepEqual(idsOf(seen), expectedIds(stored, 'created_at'));
    });

    it('returns no order twice when others are added before it in between', async () => {
      const subject = await open();
      const owner = anOwner();
      const stored = await storeTwelveOrders(fixtures, subject, owner);
      const seen = await readAllPages(page, subject.orders, owner, { sort: 'created_at', limit: 3 }, async () => {
        await storeOrder(subject, owner, anOrder({ created_at: '2025-01-01T00:00:00.000Z' }));
      });
      assert.deepEqual(idsOf(seen), expectedIds(stored, 'created_at'));
    });

    it('ends a page before its items exceed 1,000, but returns at least one order', async () => {
      const subject = await open();
      const owner = anOwner();
      const large = Array.from({ length: 100 }, () => anItem());
      const stored: AnyOrder[] = [];
      for (let index = 0; index < 12; index += 1)
        stored.push(await storeOrder(subject, owner, anOrder({ items: large })));
      const first = await page(subject.orders, owner, { limit: 100 });
      assert.equal(first.data.length, 10);
      assert.ok(first.next, 'the first page must not be the last');
      const second = await page(subject.orders, owner, { limit: 100, after: first.next });
      assert.equal(second.data.length, 2);
      assert.equal(second.next, null);
      assert.deepEqual(idsOf([...first.data, ...second.data]), expectedIds(stored, '-created_at'));
    });
  });
}

export function orderPageBytesContract(
  runner: TestRunner,
  open: OpenAnySubject,
  { definition, anOrder, storeOrder, freeText }: OrderFixtures,
): void {
  const page = pageReader(definition);
  pageBytesContract(runner, 'orders', async () => {
    const subject = await open();
    return {
      storeEntry: (owner, bytes) => storeOrder(subject, owner, anOrder(freeText(bytes))),
      page: (owner, query) => page(subject.orders, owner, query),
    };
  });
}
