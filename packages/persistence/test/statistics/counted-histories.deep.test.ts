import {
  openDatabase,
  countStatistics,
  postgresOrderStatistics,
  postgresStore,
  purge,
  rebuildStatistics,
} from '@orders/persistence';
import { createDomain } from '@orders/domain/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { countAll } from './count-all.ts';
import { countMeanwhile, expectFiguresOfOrders, randomHistory, randomNumbers, wrongClock } from './random-history.ts';

const database = testDatabase();

function open() {
  const opened = openDatabase({ url: database.url });
  onTestFinished(() => opened.close());
  return opened;
}

describe('the figures of orders', () => {
  it('are those of the orders that exist, after random commands while counting processes lose their connections', async () => {
    const random = randomNumbers(7);
    const domain = createDomain({ ...postgresStore(database.current), clock: wrongClock(random) });
    let isOver = false;
    const history = randomHistory(domain, 'random', 1500, random).finally(() => (isOver = true));
    expect(await countMeanwhile([open(), open()], database.url, 'random', () => isOver)).toBeGreaterThan(5);
    await history;
    await expectFiguresOfOrders(database.current, domain, 'random', 0);
  });

  it('are counted again from the orders when events or replaced versions are gone', async () => {
    const random = randomNumbers(11);
    const domain = createDomain({ ...postgresStore(database.current), clock: wrongClock(random) });
    const count = countStatistics(database.current);
    await randomHistory(domain, 'purged', 200, random);
    expect(await countAll(count, 'purged')).toBe(0);
    await randomHistory(domain, 'purged', 200, random);
    await database.current.primary.pool.query(
      `delete from orders.changes as c where owner_id = 'purged' and exists (
         select from orders.changes as l where l.owner_id = c.owner_id and l.aggregate_id = c.aggregate_id and l.version > c.version)`,
    );
    await expectFiguresOfOrders(database.current, domain, 'purged', 1);
  });

  it('lose an order whose deletion has left the feed before it was counted', async () => {
    const domain = createDomain({ ...postgresStore(database.current), clock: wrongClock(randomNumbers(17)) });
    await randomHistory(domain, 'left', 1600, randomNumbers(19));
    await expectFiguresOfOrders(database.current, domain, 'left', 0);
    const { data } = (await domain.listOrders('left'))._unsafeUnwrap();
    for (const { id } of data.slice(0, 10)) await domain.deleteOrder('left', id);
    const now = new Date().toISOString();
    await purge(database.current)({ now, eventsBefore: now, historyBefore: now });
    await expectFiguresOfOrders(database.current, domain, 'left', 1);
    expect((await domain.listOrders('left'))._unsafeUnwrap().data.length).toBeGreaterThan(0);
  });

  it('are not counted twice by a process that waits for another one', async () => {
    const random = randomNumbers(13);
    const domain = createDomain({ ...postgresStore(database.current), clock: wrongClock(random) });
    await randomHistory(domain, 'busy', 40, random);
    const count = countStatistics(database.current);
    await count('busy');
    await randomHistory(domain, 'busy', 40, random);
    const client = await database.current.primary.pool.connect();
    try {
      await client.query(`begin; select from orders.checkpoints where owner_id = 'busy' for update`);
      const before = await postgresOrderStatistics(database.current).sum('busy', BOUNDS, 1);
      // It does not wait, so that one owner with a lock delays no other.
      expect(await count('busy')).toEqual({ events: 0, isMoreLeft: false, isRecounted: false });
      expect(await postgresOrderStatistics(database.current).sum('busy', BOUNDS, 1)).toEqual(before);
      const rebuilding = rebuildStatistics(database.current, 'busy');
      await client.query('commit');
      await rebuilding;
    } finally {
      client.release();
    }
    await expectFiguresOfOrders(database.current, domain, 'busy', 0);
  });
});

const BOUNDS = ['2001-01-01T00:00:00.000Z', '2001-03-01T00:00:00.000Z'] as const;
