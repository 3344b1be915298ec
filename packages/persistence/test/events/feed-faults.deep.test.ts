import type { Customer } from '@orders/domain';
import { aCustomer } from '@orders/domain/testing';
import { type Database, openDatabase, postgresEventFeed, purge } from '@orders/persistence';
import type { Fault } from '@orders/postgres-proxy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';
import { givenPositions, insertMany, upTo } from '../fixtures/feed-rows.ts';
import { readEverything, readPage } from '../fixtures/reading.ts';
import { decidedCustomers } from '../fixtures/decided-writes.ts';

const database = testDatabase();
let another: Database;

beforeAll(() => {
  another = openDatabase({ url: database.url });
});
afterAll(() => another.close());

async function deadlocks(): Promise<number> {
  const [row] = await execute<{ deadlocks: string }>(
    database.url,
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(row?.deadlocks);
}

const FAULTS = ['cut_before', 'terminated', 'response_lost'] as const satisfies readonly Fault[];

describe('a read', () => {
  it.each(FAULTS)(
    'leaves no hole and gives no position twice when any of its statements ends with: %s',
    async (fault) => {
      const { proxy, server } = await watchedServer(database.url, { poolMax: 1 });
      const feed = postgresEventFeed(server);
      await insertMany(database.url, `steps ${fault}`, 1500, '2026-01-01');
      (await readPage(feed, `steps ${fault}`))._unsafeUnwrap();
      // Two batches, each a transaction, and a page before and after them.
      const steps = proxy.statements.map(({ text }) => text);
      expect(steps.map((text) => text.includes('events_number_'))).toEqual([false, true, true, false]);
      for (const [index, text] of steps.entries()) {
        const owner = `${fault} ${index}`;
        await insertMany(database.url, owner, 1500, '2026-01-01');
        proxy.clear();
        const armed = proxy.fault(index + 1, fault);
        const failed = await readPage(feed, owner);
        expect(failed._unsafeUnwrapErr().type).toBe('unavailable');
        expect(armed.statement?.text).toBe(text);
        const [halfway] = await execute<{ last: string; count: string }>(
          database.url,
          `select coalesce(max(c.position), 0) as last, count(c.position) as count
         from changes as c where c.owner_id = '${owner}'`,
        );
        expect(halfway?.last).toBe(halfway?.count);
        const events = await readEverything(postgresEventFeed(database.current), owner);
        expect(events.map(({ position }) => position)).toEqual(upTo(1500));
        expect(new Set(events.map(({ id }) => id)).size).toBe(1500);
        expect(await givenPositions(database.url, owner)).toEqual(upTo(1500));
      }
    },
  );
});

describe('concurrent', () => {
  it('deletions of customers, purges and numbering on two servers end without a deadlock', async () => {
    const owner = 'deletions';
    const before = await deadlocks();
    const customers = decidedCustomers(database.current);
    const at = (minute: number) => new Date(Date.UTC(2001, 0, 1, 0, minute)).toISOString();
    const ids = await Promise.all(
      upTo(40).map(async () => {
        const { id } = (
          await customers.insert(owner, aCustomer({ created_at: at(1), updated_at: at(1) }))
        )._unsafeUnwrap().aggregate;
        for (let version = 2; version <= 15; version += 1) {
          const change = (customer: Customer) => ({ ...customer, version, updated_at: at(version) });
          (await customers.update(owner, id, change))._unsafeUnwrap();
        }
        return id;
      }),
    );
    const done = new AbortController();
    const reading = [database.current, another].map(async (opened) => {
      const feed = postgresEventFeed(opened);
      while (!done.signal.aborted) {
        (await readPage(feed, owner, { start: 'latest' }))._unsafeUnwrap();
      }
    });
    const purging = (async () => {
      const purgeAll = purge(another);
      for (let minute = 1; !done.signal.aborted; minute += 1) {
        await purgeAll({
          now: new Date().toISOString(),
          eventsBefore: at(minute % 16),
          historyBefore: at(minute % 16),
        });
      }
    })();
    for (const id of ids) (await customers.delete(owner, id))._unsafeUnwrap();
    done.abort();
    await Promise.all([...reading, purging]);
    expect(await deadlocks()).toBe(before);
    const [left] = await execute(
      database.url,
      `select 1 from changes where owner_id = '${owner}' and snapshot is not null`,
    );
    expect(left).toBeUndefined();
    expect((await readPage(postgresEventFeed(another), owner, { start: 'latest' }))._unsafeUnwrap().next.position).toBe(
      640,
    );
  });
});
