import { openDatabase, postgresEventFeed, postgresOrderRepository } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { BAKERY } from './bakery.ts';

it('the ports of a database state its definition, with which those who bind them compare theirs', () => {
  // Connections are opened by the first statement, which this test does not send.
  const database = openDatabase({ url: 'postgresql://127.0.0.1:1/orders', definition: BAKERY });
  onTestFinished(() => database.close());
  expect(postgresOrderRepository(database).definition).toBe(BAKERY);
  expect(postgresEventFeed(database).definition).toBe(BAKERY);
});
