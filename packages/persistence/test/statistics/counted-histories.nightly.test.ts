import { createDomain } from '@orders/domain/runtime';
import { openDatabase, postgresStore } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { countMeanwhile, expectFiguresOfOrders, randomHistory, randomNumbers, wrongClock } from './random-history.ts';

const database = testDatabase();

it('figures are those of the orders after a hundred thousand random commands', async () => {
  const random = randomNumbers(23);
  const domain = createDomain({ ...postgresStore(database.current), clock: wrongClock(random) });
  const servers = [openDatabase({ url: database.url }), openDatabase({ url: database.url })];
  onTestFinished(async () => {
    for (const server of servers) await server.close();
  });
  let isOver = false;
  const history = randomHistory(domain, 'random', 100_000, random).finally(() => (isOver = true));
  expect(await countMeanwhile(servers, database.url, 'random', () => isOver)).toBeGreaterThan(5);
  await history;
  await expectFiguresOfOrders(database.current, domain, 'random', 0);
}, 1_800_000);
