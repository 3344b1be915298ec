import { randomUUID } from 'node:crypto';
import { createDomain, ORDERS, type Position } from '@orders/domain';
import {
  type ListedOrder,
  type OrdersOfOwners,
  parseOwnersOrderQuery,
  parseOwnersOrderSearch,
} from '@orders/domain/operators';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { postgresOrderFinder, postgresStore } from '@orders/persistence';
import { beforeAll, describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { newNumbering } from '../../src/events/numbering.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
/** More than the owners whose orders are sorted together. */
const OWNERS = Array.from({ length: 105 }, (_, index) => `owner ${String(index).padStart(3, '0')}`);
/** The same order, as a copy of a shop has it. */
const COPY = { id: randomUUID(), status: 'pending', created_at: '2026-01-01T00:00:00.000Z' } as const;

beforeAll(async () => {
  const domain = createDomain({ ...postgresStore(database.current), clock: systemClock, ids: uuidv7Ids() });
  for (const [index, owner] of OWNERS.entries())
    for (const [place, amount] of [100, 900].entries()) {
      const items = [{ sku: 'a', name: 'A', quantity: 1, unit_price: { amount: amount + index, currency: 'EUR' } }];
      const order = { items, reference: `${place}`, external_ids: { shop: [`${index}`] } };
      (await domain.placeOrder(owner, { ...order, buyer: { email: `b${index % 2}@example.com` } }))._unsafeUnwrap();
      if (index % 50 === 3 && place === 0)
        (await domain.importOrder(owner, { ...COPY, ...order, reference: null }))._unsafeUnwrap();
    }
  for (const owner of OWNERS) await newNumbering(database.current).run(owner);
});

const query = (input = {}) => parseOwnersOrderQuery(input, ORDERS)._unsafeUnwrap();

/** Returns all pages. */
async function findAll(owner: string | null, wanted = query()) {
  const finder = postgresOrderFinder(database.current);
  const pages: OrdersOfOwners[] = [];
  for (let after: Position<string> | null = null; ;) {
    const page: OrdersOfOwners = (await finder.find(owner, wanted, after))._unsafeUnwrap();
    pages.push(page);
    if (page.next === null) return pages;
    after = page.next;
  }
}

const all = async (owner: string | null, wanted = query()) =>
  (await findAll(owner, wanted)).flatMap(({ data }) => data);
const keys = (orders: readonly ListedOrder[]) => orders.map(({ owner, id }) => `${owner} ${id}`);

describe('the orders of all owners', () => {
  it('are each found once over pages, newest first within the owners of a page', async () => {
    const stored = await execute<{ key: string }>(database.url, `select owner_id || ' ' || id as key from orders`);
    const pages = await findAll(null, query({ limit: 7 }));
    const found = keys(pages.flatMap(({ data }) => data));
    expect(found.toSorted()).toEqual(stored.map(({ key }) => key).toSorted());
    const groups = Map.groupBy(pages, ({ lookedAt }) => lookedAt);
    expect([...groups.keys()]).toEqual([100, 105]);
    for (const group of groups.values()) {
      const places = group.flatMap(({ data }) => data).map(({ created_at, id }) => `${created_at} ${id}`);
      expect(places).toEqual(places.toSorted().toReversed());
    }
    expect(new Set(pages.map(({ owners }) => owners))).toEqual(new Set([105]));
    // A position has no owner in it, who may be a person.
    expect(pages.map(({ next }) => JSON.stringify(next)).filter((next) => next.includes('owner'))).toEqual([]);
  });

  it.each([
    ['ids', { ids: [COPY.id.toUpperCase()] }, ['owner 003', 'owner 053', 'owner 103']],
    [
      'reference',
      { reference: '1', status: ['pending'], total_from: '1003', currency: 'EUR' },
      ['owner 103', 'owner 104'],
    ],
    ['lookup', { lookup: 'external.shop:7' }, ['owner 007', 'owner 007']],
    ['total', { currency: 'EUR', total_from: '120', total_to: '121' }, ['owner 020', 'owner 021']],
    ['time', { created_at_before: '2026-01-02T00:00:00Z' }, ['owner 003', 'owner 053', 'owner 103']],
    ['another currency', { currency: 'USD' }, []],
  ])('are found by %s', async (_, input, owners) => {
    expect((await all(null, query(input))).map(({ owner }) => owner).toSorted()).toEqual(owners);
  });

  it('are found by email, also those of one owner', async () => {
    const search = parseOwnersOrderSearch({ buyer_email: 'B1@example.com', limit: 100 }, ORDERS)._unsafeUnwrap();
    expect(await all(null, search)).toHaveLength(2 * 52);
    expect((await all('owner 001', search)).map(({ owner }) => owner)).toEqual(['owner 001', 'owner 001']);
    expect(await all('owner 002', search)).toEqual([]);
  });

  it('of one owner are a list, in which each order has what is not personal', async () => {
    const [listed] = await all('owner 003', query({ ids: [COPY.id] }));
    expect(listed).toMatchObject({ owner: 'owner 003', ...COPY, total: { amount: 103, currency: 'EUR' }, version: 1 });
    expect(await findAll('owner 003', query({ limit: 1 }))).toMatchObject([
      { lookedAt: 1, owners: 1, data: [{ reference: '1' }] },
      { data: [{ reference: '0' }] },
      { data: [{ id: COPY.id }], next: null },
    ]);
  });

  it('have statuses that the definition lacks', async () => {
    await execute(database.url, `update orders set status = 'packed' where owner_id = 'owner 050' and reference = '0'`);
    expect((await all(null, query({ lookup: 'external.shop:50' }))).map(({ status }) => status)).toContain('packed');
  });

  it.each(['', 'x y', 'x y z', 'unknown  ', '  x', '  2026-01-01T00:00:00.000Z'])(
    'are not found behind the made-up position %j',
    async (value) => {
      const found = await postgresOrderFinder(database.current).find(null, query(), { value, id: 'x' });
      expect(found._unsafeUnwrapErr()).toEqual({ type: 'unknown_position' });
    },
  );
});

describe('a query for the orders of several owners', () => {
  it.each([
    [{ total_from: '1' }, 'currency', 'required'],
    [{ currency: 'EUR', total_from: '2', total_to: '1' }, 'total_to', 'invalid_value'],
    [{ currency: 'EUR', total_from: '01' }, 'total_from', 'wrong_type'],
    [{ currency: 'EURO' }, 'currency', 'too_long'],
    [{ ids: ['x'] }, 'ids[0]', 'invalid_format'],
  ])('%j is rejected', (input, field, code) => {
    expect(parseOwnersOrderQuery(input, ORDERS)._unsafeUnwrapErr().errors).toMatchObject([{ field, code }]);
  });
});
