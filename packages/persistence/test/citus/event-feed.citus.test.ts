import { checkpointsContract, eventFeedContract, ownerCheckpointsContract } from '@orders/domain/testing';
import {
  consumeInTransaction,
  type Database,
  numberBacklogs,
  postgresCheckpoints,
  postgresCustomerRepository,
  postgresEventFeed,
  postgresOrderRepository,
  purge,
} from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { givenPositions, insertMany, storedFeed, upTo } from '../fixtures/feed-rows.ts';
import { readEverything } from '../fixtures/reading.ts';
import { execute } from '../fixtures/execute.ts';
import { contractSubject } from '../fixtures/contract-subject.ts';
import { recordedEvents } from '../fixtures/recorded-events.ts';
import { distributedDatabase, expectOneTaskEach } from './distributed-database.ts';

const citus = distributedDatabase();

const serverOn = (opened: Database) => ({
  orders: postgresOrderRepository(opened),
  customers: postgresCustomerRepository(opened),
  events: (owner: string) => recordedEvents(citus.database, owner),
  feed: postgresEventFeed(opened),
});

describe('on distributed tables', () => {
  eventFeedContract({ describe, it }, () => ({
    ...serverOn(citus.watched),
    openAnother: () => serverOn(citus.database),
    purge: async (cutoff) => {
      const eventsBefore = new Date(Date.parse(cutoff) - 1).toISOString();
      await purge(citus.database)({ now: new Date().toISOString(), eventsBefore });
    },
    patienceMs: 30_000,
  }));
  checkpointsContract({ describe, it }, () => postgresCheckpoints(citus.watched));
  // Not watched: its search has statements about all owners.
  ownerCheckpointsContract({ describe, it }, () => contractSubject(citus.database, citus.database));

  it('a consumer in transactions stores each effect once', async () => {
    await execute(citus.url, 'create table effects (owner_id text, position bigint)');
    await execute(citus.url, `select create_distributed_table('effects', 'owner_id', colocate_with => 'none')`);
    await insertMany(citus.url, 'consumed', 20, '2026-01-01');
    const stop = new AbortController();
    await consumeInTransaction({
      database: citus.watched,
      owner: 'consumed',
      name: 'mail',
      handler: async ({ position }, { client }) => {
        await client.query('insert into orders.effects values ($1, $2)', ['consumed', position]);
        if (position === 20) stop.abort();
      },
      signal: stop.signal,
    });
    const effects = await execute(citus.url, 'select position::int as position from effects order by position');
    expect(effects.map(({ position }) => position)).toEqual(upTo(20));
  });

  it('every statement about one owner is one task on one node, at first and after many executions', async () => {
    const statements = citus
      .sent()
      .filter(({ text }) => !/pg_dist_partition|pg_prepared_statements|effects/.test(text));
    const texts = statements.map(({ text }) => text).join('\n');
    for (const part of ['events_number_', 'as has_events', 'events_resources_']) {
      expect(texts).toContain(part);
    }
    await expectOneTaskEach(citus.url, statements);
  });

  it('no transaction of one owner is committed in two phases', async () => {
    await insertMany(citus.url, 'one node', 30, '2026-01-01');
    const read = async (own: Database) =>
      expect(await readEverything(postgresEventFeed(own), 'one node')).toHaveLength(30);
    expect(await citus.countTwoPhaseCommits(read)).toBe(0);
  });

  it('the changes of many owners get their positions, and leave their feeds', async () => {
    for (let owner = 1; owner <= 8; owner += 1) await insertMany(citus.url, `many ${owner}`, 1500, '2001-01-01');
    expect(await numberBacklogs(citus.database)).toMatchObject({ owners: 8 });
    expect(await givenPositions(citus.url, 'many 3')).toEqual(upTo(1500));
    await purge(citus.database)({ now: new Date().toISOString(), eventsBefore: '2001-01-01T00:20:00.000Z' });
    for (let owner = 1; owner <= 8; owner += 1) {
      expect(await storedFeed(citus.url, `many ${owner}`)).toMatchObject({ position: 1500, purged: 1200 });
    }
  });
});
