import { dueDeliveries } from '@orders/persistence';
import { expect, it } from 'vitest';
import { insertMany } from '../fixtures/feed-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { buffersOfWork } from './buffers-of.ts';
import { endpointId, insertDeliveries, insertEndpoint } from '../fixtures/delivery-rows.ts';

const database = testDatabase();

const MANY = 100_000;

/** The rows that are counted: of an endpoint first and further attempts, and events with and without a position. */
const COUNTED = 4 * 500;

/** Pages that one counted row may take: its own, and its part of the index. */
const BUFFERS_PER_ROW = 1.5;

it('a count of due deliveries reads 2,000 rows of an endpoint at most, however many are due', async () => {
  await insertEndpoint(database.url, 'a', endpointId(1));
  const due = () => dueDeliveries(database.current);
  // Plans of few rows must not be kept.
  for (let execution = 0; execution < 7; execution += 1) await due();
  const retries = { fresh: 'false', dueAt: `now() - n * interval '1 second'` };
  await insertDeliveries(database.url, 'a', endpointId(1), [1, MANY], { dueAt: `now() - n * interval '1 second'` });
  await insertDeliveries(database.url, 'a', endpointId(1), [MANY + 1, 2 * MANY], retries);
  const settled = { status: `'delivered'`, dueAt: 'null', fresh: 'false' };
  await insertDeliveries(database.url, 'a', endpointId(1), [2 * MANY + 1, 3 * MANY], settled);
  await insertMany(database.url, 'a', 2 * MANY, '2026-01-01');
  await execute(
    database.url,
    `update changes set position = n from (
       select version, aggregate_id, row_number() over (order by occurred_at) as n from changes
     ) as numbered
     where changes.aggregate_id = numbered.aggregate_id and changes.version = numbered.version and n <= ${MANY}`,
  );
  const read = async () =>
    await buffersOfWork(database.url, 3, async (watched) => {
      const { worker, endpoint } = await dueDeliveries(watched);
      expect(worker.count).toBe(COUNTED);
      expect(worker.oldestAgeMs).toBeGreaterThanOrEqual(2 * MANY * 1000);
      expect(endpoint.count).toBe(0);
    });
  const withoutStatistics = await read();
  await execute(database.url, 'vacuum analyze');
  for (const buffers of [withoutStatistics, await read()]) expect(buffers).toBeLessThan(BUFFERS_PER_ROW * COUNTED);
});
