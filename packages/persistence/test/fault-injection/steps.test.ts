import { expect, it } from 'vitest';
import { KEYED_WRITES } from './keyed-writes.ts';
import { proxiedDatabase } from './proxied-database.ts';
import { withoutFaults } from './steps.ts';

const database = await proxiedDatabase();

/** Texts that the statements of a write must contain. */
const CERTAIN: Readonly<Record<string, readonly RegExp[]>> = {
  'placing an order': [/^1 \(.*\bonce\b/, /\borders\b/, /\boutbox\b/],
  'changing nothing of an order': [/^2 \(insert once orders\)/],
  'changing an order that another change gets to first': [/\(begin\)/, /for update/, /outbox/, /\(commit\)/],
  'deleting a customer': [/\(begin\)/, /for update/, /\bonce\b.*outbox|outbox.*\bonce\b/, /\(commit\)/],
  'deleting an order that a change gets to first': [/\(begin\)/, /for update/, /outbox/, /\(commit\)/],
};

// The other files in this folder have a test for each step that they find. This file checks that they find any.
it.each(KEYED_WRITES)('$name has steps to inject faults at', async (write) => {
  const { steps } = await withoutFaults(database, write);
  const names = steps.map(({ name }) => name);
  expect(steps.flatMap(({ tables }) => tables)).toContain('once');
  for (const certain of CERTAIN[write.name] ?? []) expect(names).toContainEqual(expect.stringMatching(certain));
});
