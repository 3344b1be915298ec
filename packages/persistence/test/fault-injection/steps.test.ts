import { expect, it } from 'vitest';
import { KEYED_WRITES } from './keyed-writes.ts';
import { proxiedDatabase } from './proxied-database.ts';
import { withoutFaults } from './steps.ts';

const database = await proxiedDatabase();

const AFTER_A_CONCURRENT_CHANGE = [
  '1 (select orders)',
  '2 (call orders changes idempotency)',
  '3 (begin)',
  '4 (select orders for update)',
  '5 (select orders)',
  '6 (call orders changes idempotency)',
  '7 (commit)',
];

/** The steps of each write, with their tables. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  'placing an order': ['1 (call orders changes idempotency)'],
  'changing an order': ['1 (select orders)', '2 (call orders changes idempotency)'],
  'cancelling an order': ['1 (select orders)', '2 (call orders changes idempotency)'],
  'changing nothing of an order': ['1 (select orders)', '2 (insert idempotency)'],
  'deleting an order': ['1 (select orders)', '2 (call orders changes idempotency)'],
  'changing an order after a concurrent change': AFTER_A_CONCURRENT_CHANGE,
  'deleting an order after a concurrent change': AFTER_A_CONCURRENT_CHANGE,
  'creating a customer': ['1 (call customers changes idempotency)'],
  'changing a customer': ['1 (select customers)', '2 (call customers changes idempotency)'],
  'deleting a customer': ['1 (select customers)', '2 (call customers changes idempotency)'],
};

// The other files in this folder have a test for each step that they find. This file checks that they find all.
it.each(KEYED_WRITES)('$name has steps to inject faults at', async (write) => {
  const { steps } = await withoutFaults(database, write);
  expect(steps.map(({ name }) => name)).toEqual(STEPS[write.name]);
});
