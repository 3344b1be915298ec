import { defineOrders, ORDER_STATUSES_MAX, type OrderDefinition } from '@orders/domain';
import {
  eventFeedContract,
  orderRepositoryContract,
  webhookEndpointRepositoryContract,
  webhookQueueContract,
} from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { ok } from 'neverthrow';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { BAKERY } from '../definitions/bakery.ts';
import { contractSubject } from '../fixtures/contract-subject.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const LONGEST = Array.from({ length: ORDER_STATUSES_MAX }, (_, at) => `status_${at}_${'x'.repeat(20)}`);

/** Definitions at the limits of what can be defined, beside a usual one. */
const DEFINITIONS: readonly (readonly [name: string, definition: OrderDefinition])[] = [
  ['a bakery', BAKERY],
  [
    'one status',
    defineOrders({
      lifecycle: { open: [] },
      initial: 'open',
      cancel: 'open',
      custom: { parse: (input: unknown) => ok(input), schema: {} },
      lookups: { text: (custom) => (typeof custom === 'string' ? [custom, `${custom}!`] : null) },
    }),
  ],
  [
    'statuses with and without columns, in a cycle, one of which every object has as a member',
    defineOrders({
      lifecycle: { open: ['paid', 'constructor'], paid: ['open', 'returned'], returned: ['paid'], constructor: [] },
      initial: 'open',
      cancel: 'constructor',
    }),
  ],
  [
    'forty statuses with the longest names',
    defineOrders<Readonly<Record<string, readonly string[]>>, string, string, unknown>({
      lifecycle: Object.fromEntries(LONGEST.map((status, at) => [status, LONGEST.slice(at + 1, at + 2)])),
      initial: LONGEST[0] ?? '',
      cancel: LONGEST.at(-1) ?? '',
      custom: { parse: (input) => ok(input), schema: {} },
    }),
  ],
];

describe.each(DEFINITIONS)('orders of a definition with %s', (name, definition) => {
  // One for each definition: a purge reads all owners of its database.
  const tested = testDatabase();
  const opened: Database<unknown, OrderDefinition>[] = [];
  beforeAll(() => {
    const preparedStatements = inject('preparedStatements');
    for (let count = 0; count < 2; count += 1)
      opened.push(openDatabase({ url: tested.url, definition, preparedStatements }));
  });
  afterAll(async () => {
    for (const database of opened) await database.close();
  });

  const open = () => {
    const [first, second] = opened;
    if (!first || !second) throw new Error('the databases exist only while the tests run');
    return contractSubject<OrderDefinition>(first, second);
  };

  orderRepositoryContract<OrderDefinition>({ describe, it }, open, definition);
  eventFeedContract<OrderDefinition>({ describe, it }, open, definition);
  // Of a definition, webhooks see only the types of its events: a usual definition shows that.
  if (name !== 'a bakery') return;
  webhookEndpointRepositoryContract<OrderDefinition>({ describe, it }, open, definition);
  webhookQueueContract<OrderDefinition>({ describe, it }, open, definition);
});
