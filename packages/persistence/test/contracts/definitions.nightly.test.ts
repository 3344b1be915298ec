import type { OrderDefinition } from '@orders/domain';
import {
  eventFeedContract,
  orderRepositoryContract,
  webhookEndpointRepositoryContract,
  webhookQueueContract,
} from '@orders/domain/testing';
import { type Database, openDatabase, postgresWebhookEndpoints } from '@orders/persistence';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { queueSubject } from '../fixtures/queue-subject.ts';
import { BAKERY } from '../definitions/bakery.ts';
import { SAMPLES } from '../definitions/sample-definitions.ts';

/** Of a definition, webhooks see only the types of its events: a usual definition shows that, and one at the limits. */
const WITH_WEBHOOKS = ['a bakery', 'forty statuses with the longest names'];

describe.each([['a bakery', BAKERY] as const, ...SAMPLES])('orders of a definition with %s', (name, definition) => {
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
    const webhookEndpoints = postgresWebhookEndpoints(first);
    return { ...queueSubject<OrderDefinition>(first, second), webhookEndpoints };
  };

  orderRepositoryContract<OrderDefinition>({ describe, it }, open, definition);
  eventFeedContract<OrderDefinition>({ describe, it }, open, definition);
  if (!WITH_WEBHOOKS.includes(name)) return;
  webhookEndpointRepositoryContract<OrderDefinition>({ describe, it }, open, definition);
  webhookQueueContract<OrderDefinition>({ describe, it }, open, definition);
});
