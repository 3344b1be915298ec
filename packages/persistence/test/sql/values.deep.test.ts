import { randomUUID } from 'node:crypto';
import { createDomain } from '@orders/domain/runtime';
import { postgresStore } from '@orders/persistence';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';

const OWNER = 'owner';
const database = testDatabase();

it('the domain rejects any text, or it is read back unchanged', async () => {
  const domain = createDomain(postgresStore(database.current));
  // Generates any UTF-16, including lone surrogates and U+0000.
  const unit = fc.oneof(fc.constantFrom(0, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xfffe, 0xffff), fc.nat(0xffff));
  const broken = fc.string({ unit: unit.map((code) => String.fromCharCode(code)), maxLength: 8 });
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 70 }), broken);
  const outcomes: string[] = [];
  await fc.assert(
    fc.asyncProperty(text, text, text, async (note, name, key) => {
      const item = { sku: 'MUG', name, quantity: 1, unit_price: { amount: 1999, currency: 'EUR' } };
      const fields = { note, metadata: { [key]: note } };
      const options = { idempotencyKey: randomUUID() };
      const place = () => domain.placeOrder(OWNER, { items: [item], ...fields }, options);
      const outcome = await place().match(
        async ({ order }) => {
          const found = (await domain.getOrder(OWNER, order.id))._unsafeUnwrap();
          expect(found).toMatchObject({ ...fields, items: [{ name }] });
          expect(JSON.stringify((await place())._unsafeUnwrap().order)).toBe(JSON.stringify(order));
          return 'kept';
        },
        ({ type }) => Promise.resolve(type),
      );
      outcomes.push(outcome);
    }),
    { numRuns: 150, seed: 20260101 },
  );
  expect(new Set(outcomes)).toEqual(new Set(['kept', 'validation_failed']));
});
