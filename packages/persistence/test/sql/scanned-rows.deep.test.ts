import {
  type OrderQueryInput,
  type OrderRepository,
  parseOrderQuery,
  type Position,
  SCANNED_ELEMENTS_MAX,
} from '@orders/domain';
import { anEventOf, anOrder, inMemoryStore } from '@orders/domain/testing';
import { postgresOrderRepository } from '@orders/persistence';
import { beforeAll, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const OWNER = 'owner';
const COUNT = SCANNED_ELEMENTS_MAX + 2;
/** The orders that changed late: one of the first, the last that a page looks at, and the last of all. */
const LATE = [7, SCANNED_ELEMENTS_MAX, COUNT];
const LATE_AT = '2026-06-01T00:00:00.000Z';

const database = testDatabase();
const memory = inMemoryStore().orders;

beforeAll(async () => {
  for (let n = 1; n <= COUNT; n += 1) {
    const created_at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
    const updated_at = LATE.includes(n) ? LATE_AT : created_at;
    const id = `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;
    const after = anOrder({
      id,
      created_at,
      updated_at,
      reference: `ref ${n}`,
      status: n % 3 === 0 ? 'paid' : 'pending',
    });
    const event = anEventOf(OWNER, after);
    (await memory.commit(OWNER, { kind: 'create', after, event, key: undefined }))._unsafeUnwrap();
  }
  // Those that end a page have as many elements as a page has room for.
  await execute(
    database.url,
    `insert into orders (owner_id, id, status, reference, currency, total_amount, element_count, metadata, items, version,
       created_at, updated_at)
     select '${OWNER}', lpad(n::text, 32, '0')::uuid, case when n % 3 = 0 then 'paid' else 'pending' end, 'ref ' || n,
       'EUR', 1, case when n in (${LATE.join()}) then 1 else 1000 end, '{}', '[]', 1, at,
       case when n in (${LATE.join()}) then '${LATE_AT}' else at end
     from generate_series(1, ${COUNT}) as n, lateral (select timestamptz '2026-01-01' + n * interval '1 second') as t (at)`,
  );
});

/** Returns the ids and the ends of all pages. */
async function pagesOf(orders: Pick<OrderRepository, 'list'>, input: OrderQueryInput): Promise<readonly unknown[]> {
  const pages: [readonly string[], Position<string> | null][] = [];
  for (let next: Position<string> | null | undefined; next !== null;) {
    const query = parseOrderQuery({ ...input, ...(next && { after: next }) })._unsafeUnwrap();
    const page = (await orders.list(OWNER, query))._unsafeUnwrap();
    next = page.next;
    pages.push([page.data.map(({ id }) => id), next]);
  }
  return pages;
}

it.each<[pages: number, query: OrderQueryInput]>([
  [2, { sort: 'created_at', updated_at_from: LATE_AT }],
  [3, { sort: 'created_at', updated_at_from: LATE_AT, limit: 1 }],
  [2, { sort: 'created_at', updated_at_from: LATE_AT, created_at_from: '2026-01-01T00:00:02Z' }],
  [1, { sort: 'created_at', updated_at_from: LATE_AT, created_at_from: '2026-01-01T00:00:03Z' }],
  [2, { sort: 'created_at', updated_at_from: LATE_AT, status: ['paid', 'pending'] }],
  [1, { sort: 'created_at', updated_at_from: LATE_AT, status: ['pending'] }],
  [2, { sort: '-created_at', updated_at_from: LATE_AT }],
  [2, { sort: '-created_at', updated_at_from: LATE_AT, limit: 3 }],
  [2, { sort: '-created_at', updated_at_from: LATE_AT, limit: 2 }],
  [2, { updated_at_from: '2026-07-01T00:00:00Z' }],
  [2, { sort: 'updated_at', created_at_before: '2026-01-01T00:00:00Z' }],
  [2, { reference_prefix: 'ref', updated_at_from: LATE_AT }],
  [1, { reference_prefix: 'ref 1', updated_at_from: LATE_AT }],
  [2, { reference_prefix: 'ref', status: ['cancelled'] }],
])('%i pages look at 10,000 rows each and are those of the store in memory: %j', async (count, query) => {
  const pages = await pagesOf(postgresOrderRepository(database.current), query);
  expect(pages).toEqual(await pagesOf(memory, query));
  expect(pages).toHaveLength(count);
});
