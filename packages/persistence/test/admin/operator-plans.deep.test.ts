import { ORDERS, type Position } from '@orders/domain';
import { OWNERS_PAGE_MAX } from '@orders/domain/events';
import { type OwnersOrderQueryInput, parseOwnersOrderQuery } from '@orders/domain/operators';
import { postgresOrderFinder, postgresTimelines } from '@orders/persistence';
import { beforeAll, describe, expect, it } from 'vitest';
import { sent } from '../fixtures/watched-server.ts';
import { execute } from '../fixtures/execute.ts';
import { costOf } from '../plans/plans.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { ENDPOINTS, fillWithVersions, ORDER, OWNER, VERSIONS } from './many-versions.ts';

const database = testDatabase();
const LIMIT = 20;
const ORDERS_COUNT = 100_000;
/** The tables that grow with the orders. */
const HOT = ['orders', 'order_lookups', 'changes', 'webhook_deliveries'];

beforeAll(() => fillWithVersions(database.url, ORDERS_COUNT), 120_000);

/** Returns the rows that statements read of each table, at most, on a first execution and with a plan for all values. */
async function readBy(work: Parameters<typeof sent>[1]) {
  const most: Record<string, number> = {};
  const statements = await sent(database.url, work);
  // Those of the owners have one text.
  for (const statement of new Map(statements.map((each) => [each.text, each])).values())
    for (const times of [1, 10]) {
      const { read, scanned } = await costOf(database.url, statement, times);
      for (const [table, rows] of Object.entries(read)) most[table] = Math.max(most[table] ?? 0, rows);
      expect(HOT.filter((table) => scanned.includes(table))).toEqual([]);
    }
  return { most, count: statements.length };
}

describe('a page of a timeline of a thousand versions and five thousand deliveries', () => {
  it.each([0, 500, VERSIONS - 1])('reads what it shows, behind version %i', async (afterVersion) => {
    const query = { limit: LIMIT, afterVersion, afterComment: null };
    const { most, count } = await readBy(async (server) => {
      const { data } = (await postgresTimelines(server).read(OWNER, ORDER, query))._unsafeUnwrap();
      expect(data).toHaveLength(Math.min(LIMIT, VERSIONS - afterVersion));
    });
    expect(count).toBeLessThanOrEqual(afterVersion === 0 ? 5 : 3);
    // The planner expects few versions of an order, and may sort all of them.
    expect(most['changes']).toBeLessThanOrEqual(VERSIONS);
    // The summary looks at those of the newest hundred versions.
    expect(most['webhook_deliveries']).toBeLessThanOrEqual((afterVersion === 0 ? 100 : LIMIT + 1) * ENDPOINTS);
  });
});

describe('the orders of two hundred owners', () => {
  // As while nothing gives positions.
  beforeAll(() => execute(database.url, `update changes set position = null where owner_id like 'owner 1%'`));

  const MANY: readonly (readonly [name: string, query: OwnersOrderQueryInput, rows: number])[] = [
    ['ids', { ids: ['00000000-0000-7000-8000-000000012345'] }, 2],
    ['a reference', { reference: 'ref 12345' }, 2],
    ['a lookup', { lookup: 'external.shop:ref 12345' }, LIMIT + 1],
    ['the newest', {}, LIMIT + 1],
    ['a status and a time', { status: ['paid'], created_at_from: '2026-01-01T12:00:00Z' }, LIMIT + 1],
    [
      'a total',
      { currency: 'EUR', total_from: '99990', created_at_from: '2026-01-02T00:00:00Z' },
      ORDERS_COUNT / 200 + 2,
    ],
  ];
  it.each(MANY)('are found by %s, by few rows of a table in each statement', async (_, input, rows) => {
    const query = parseOwnersOrderQuery({ ...input, limit: LIMIT }, ORDERS)._unsafeUnwrap();
    const { most } = await readBy(async (server) => {
      const find = async (after: Position<string> | null) =>
        (await postgresOrderFinder(server).find(null, query, after))._unsafeUnwrap();
      // On a busy machine, a page may end before the owner who has one.
      let found = await find(null);
      while (found.data.length === 0 && found.next) found = await find(found.next);
      expect(found.data.length).toBeGreaterThan(0);
    });
    expect(most['orders'] ?? 0).toBeLessThanOrEqual(2 * rows);
    expect(most['order_lookups'] ?? 0).toBeLessThanOrEqual(rows);
    expect(most['changes']).toBeLessThanOrEqual(OWNERS_PAGE_MAX);
  });
});
