import { parseStatisticsQuery, statisticsIn, type StatisticsQueryInput } from '@orders/domain/statistics';
import { postgresOrderStatistics } from '@orders/persistence';
import { beforeAll, describe, expect, it } from 'vitest';
import { PARTS_MAX } from '../../src/statistics/figures-sql.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { sent } from '../fixtures/watched-server.ts';
import { costOfCall } from '../plans/plans.ts';

const database = testDatabase();
const OWNER = 'decades';
const CENTURIES = { from: '1900-01-01T00:00:00Z', before: '2099-12-31T23:59:59Z' };

describe('with a million sums', () => {
  beforeAll(async () => {
    // The plans of the functions are made while there are few rows.
    await execute(
      database.url,
      `insert into checkpoints (owner_id, name, position, event, fence) values ('${OWNER}', 'orders.statistics', 1, '', 0);
       insert into order_statistics
         select '${OWNER}', 0, w, q / w * w, 'placed', 'EUR', count(*), sum(100)
         from generate_series(500000, 1499999) as q, unnest(array[1, 4, 96]) as w group by w, q / w * w`,
    );
  });

  it.each<[StatisticsQueryInput, number]>([
    [{ ...CENTURIES, interval: 'month' }, 31],
    [{ ...CENTURIES, interval: 'month', time_zone: 'Asia/Kathmandu' }, PARTS_MAX],
    [{ from: '2000-01-01T00:00:00Z', before: '2010-01-01T00:00:00Z', interval: 'day' }, 1],
    [
      { from: '2000-01-01T00:00:00Z', before: '2010-01-01T00:00:00Z', interval: 'day', time_zone: 'Asia/Kathmandu' },
      29,
    ],
    [{ from: '2000-01-01T00:00:00Z', before: '2000-03-01T00:00:00Z', interval: 'hour' }, 2],
    [
      { from: '2000-01-01T00:00:00Z', before: '2000-03-01T00:00:00Z', interval: 'hour', time_zone: 'Asia/Kathmandu' },
      6,
    ],
  ])('a query reads a number for each row that it returns: %o', async (input, perRow) => {
    const query = parseStatisticsQuery(input)._unsafeUnwrap();
    let rows = 0;
    const statements = await sent(database.url, async (server) => {
      ({ length: rows } = (await statisticsIn(postgresOrderStatistics(server), OWNER, query))._unsafeUnwrap().rows);
    });
    expect(rows).toBeGreaterThan(300);
    const calls = statements.filter(({ text }) => text.includes('statistics_'));
    expect(calls).toHaveLength(2);
    for (const call of calls) {
      for (const times of [0, 10]) {
        const { read } = await costOfCall(database.url, call, times);
        expect(read['order_statistics']).toBeLessThanOrEqual(perRow * (rows + 2) + 2 * 96);
      }
    }
  });
});
