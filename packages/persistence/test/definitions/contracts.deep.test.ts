import type { OrderDefinition } from '@orders/domain';
import {
  eventFeedContract,
  orderRepositoryContract,
  webhookEndpointRepositoryContract,
  webhookQueueContract,
} from '@orders/domain/testing';
import { type Database, openDatabase, postgresWebhookEndpoints } from '@orders/persistence';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { testDatabase } from '../test-database.ts';
import { queueSubject } from '../webhooks/queue-subject.ts';
import { BAKERY } from './bakery.ts';
import { SAMPLES } from './sample-definitions.ts';

const tested = testDatabase();

describe.each([['a bakery', BAKERY] as const, ...SAMPLES])('orders of a definition with %s', (_, definition) => {
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
    return { ...queueSubject<OrderDefinition>(first, second, tested.url), webhookEndpoints };
  };

  orderRepositoryContract<OrderDefinition>({ describe, it }, open, definition);
  eventFeedContract<OrderDefinition>({ describe, it }, open, definition);
  webhookEndpointRepositoryContract<OrderDefinition>({ describe, it }, open, definition);
  webhookQueueContract<OrderDefinition>({ describe, it }, open, definition);
});
