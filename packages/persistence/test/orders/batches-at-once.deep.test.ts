import { randomUUID } from 'node:crypto';
import { createDomain } from '@orders/domain/runtime';
import { postgresStore } from '@orders/persistence';
import { expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

const order = (reference: string) => ({
  reference,
  items: [{ sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 450, currency: 'EUR' } }],
});

it('fifty batches at once with the same keys and references, in any order, place each order once', async () => {
  const domain = createDomain(postgresStore(database.current));
  const owner = randomUUID();
  const all = Array.from({ length: 100 }, (_, index) => ({
    order: order(`PO-${index}`),
    idempotencyKey: `key-${index}`,
  }));
  const batches = Array.from({ length: 50 }, (_, turn) => [...all.slice(2 * turn), ...all.slice(0, 2 * turn)]);
  const results = await Promise.all(batches.map((batch) => domain.placeOrders(owner, batch)));
  const placed = results.map((batch) =>
    batch._unsafeUnwrap().map((result) => {
      const { order: of, replayed } = result._unsafeUnwrap();
      return { reference: of.reference, id: of.id, replayed };
    }),
  );
  const ids = new Set(placed.flat().map(({ reference, id }) => `${reference} ${id}`));
  expect(ids.size).toBe(100);
  expect(placed.flat().filter(({ replayed }) => !replayed)).toHaveLength(100);
  const rows = `select count(*)::int as orders, count(distinct reference)::int as references from orders where owner_id = '${owner}'`;
  expect(await execute(database.url, rows)).toEqual([{ orders: 100, references: 100 }]);
});
