import { checkpointsContract, eventFeedContract, type FeedServer } from '@orders/domain/testing';
import {
  consumeInTransaction,
  type Database,
  distribute,
  numberBacklogs,
  openDatabase,
  postgresCheckpoints,
  postgresCustomerRepository,
  postgresEventFeed,
  postgresOrderRepository,
  purge,
} from '@orders/persistence';
import { type PostgresProxy, type Statement, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../src/migration/migrations-list.ts';
import { givenPositions, insertMany, storedFeed, upTo } from '../events/feed-rows.ts';
import { readEverything } from '../events/reading.ts';
import { execute } from '../execute.ts';
import { migrateWith } from '../migrating.ts';
import { recordedEvents } from '../recorded-events.ts';
import { type ClusterDatabase, createClusterDatabase, twoPhaseCommits } from './cluster-database.ts';
import { taskCounts } from './plans-of-citus.ts';

let cluster: ClusterDatabase;
let database: Database;
let proxy: PostgresProxy;
let watched: Database;

beforeAll(async () => {
  cluster = await createClusterDatabase(inject('citusUrl'));
  database = openDatabase({ url: cluster.url });
  await database.migrate();
  await distribute(database);
  proxy = await startPostgresProxy(cluster.url);
  watched = openDatabase({ url: proxy.url });
});

afterAll(async () => {
  await database.close();
  await watched.close();
  await proxy.close();
  await cluster.drop();
});

/** Returns each distinct statement that was sent, without those that begin and end transactions. */
function sent(): readonly Statement[] {
  const byText = new Map(proxy.statements.map((statement) => [statement.text, statement]));
  return [...byText.values()].filter(({ text }) => !/^(begin|commit|rollback)$/.test(text));
}

const serverOn = (opened: Database): FeedServer => ({
  orders: postgresOrderRepository(opened),
  customers: postgresCustomerRepository(opened),
  events: (owner) => recordedEvents(database, owner),
  feed: postgresEventFeed(opened),
});

describe('on distributed tables', () => {
  eventFeedContract({ describe, it }, () => ({
    ...serverOn(watched),
    openAnother: () => serverOn(database),
    purge: async (cutoff) => {
      const eventsBefore = new Date(Date.parse(cutoff) - 1).toISOString();
      await purge(database)({ now: new Date().toISOString(), eventsBefore });
    },
    patienceMs: 30_000,
  }));
  checkpointsContract({ describe, it }, () => postgresCheckpoints(watched));

  it('a consumer in transactions stores each effect once', async () => {
    await execute(cluster.url, 'create table effects (owner_id text, position bigint)');
    await execute(cluster.url, `select create_distributed_table('effects', 'owner_id', colocate_with => 'none')`);
    await insertMany(cluster.url, 'consumed', 20, '2026-01-01');
    const stop = new AbortController();
    const consuming = consumeInTransaction(
      watched,
      'consumed',
      'mail',
      async ({ position }, { client }) => {
        await client.query('insert into effects values ($1, $2)', ['consumed', position]);
        if (position === 20) stop.abort();
      },
      { signal: stop.signal },
    );
    await consuming;
    const effects = await execute(cluster.url, 'select position::int as position from effects order by position');
    expect(effects.map(({ position }) => position)).toEqual(upTo(20));
  });

  it('every statement about one owner is one task on one node, at first and after many executions', async () => {
    const statements = sent().filter(({ text }) => !/pg_dist_partition|effects/.test(text));
    const texts = statements.map(({ text }) => text).join('\n');
    for (const part of ['with fresh as', 'insert into feeds', 'for update', 'as has_events', 'as fits']) {
      expect(texts).toContain(part);
    }
    for (const statement of statements) {
      const { text } = statement;
      expect({ text, ...(await taskCounts(cluster.url, statement)) }).toEqual({ text, first: [1], later: [1] });
    }
  });

  it('no transaction of one owner is committed in two phases', async () => {
    await insertMany(cluster.url, 'one node', 30, '2026-01-01');
    const earlier = await twoPhaseCommits(cluster);
    const own = openDatabase({ url: cluster.url });
    expect(await readEverything(postgresEventFeed(own), 'one node')).toHaveLength(30);
    // A session reports its counts at the latest when it ends.
    await own.close();
    expect(await twoPhaseCommits(cluster)).toBe(earlier);
  });

  it('the changes of many owners get their positions, and leave their feeds', async () => {
    for (let owner = 1; owner <= 8; owner += 1) await insertMany(cluster.url, `many ${owner}`, 1500, '2001-01-01');
    expect(await numberBacklogs(database)).toMatchObject({ owners: 8 });
    expect(await givenPositions(cluster.url, 'many 3')).toEqual(upTo(1500));
    await purge(database)({ now: new Date().toISOString(), eventsBefore: '2001-01-01T00:20:00.000Z' });
    for (let owner = 1; owner <= 8; owner += 1) {
      expect(await storedFeed(cluster.url, `many ${owner}`)).toMatchObject({ position: 1500, purged: 1200 });
    }
  });
});

describe('the migration of the feed on distributed tables', () => {
  it('distributes its tables beside the others, and gives earlier changes their positions', async () => {
    const earlier = await createClusterDatabase(inject('citusUrl'));
    onTestFinished(earlier.drop);
    const list = MIGRATIONS.slice(
      0,
      MIGRATIONS.findIndex(({ name }) => name === '0009-event-feed'),
    );
    await migrateWith(earlier.url, list);
    for (const table of ['customers', 'orders', 'changes', 'idempotency']) {
      const colocated = table === 'customers' ? 'none' : 'customers';
      await execute(
        earlier.url,
        `select create_distributed_table('${table}', 'owner_id', colocate_with => '${colocated}')`,
      );
    }
    for (const owner of ['a', 'b', 'c', 'd']) await insertMany(earlier.url, owner, 20, '2026-01-01');
    const migrated = openDatabase({ url: earlier.url });
    onTestFinished(() => migrated.close());
    expect(await migrated.migrate()).toContain('0009-event-feed');
    const groups = await execute(
      earlier.url,
      `select distinct colocation_id from citus_tables
       where table_name::text in ('orders', 'changes', 'feeds', 'checkpoints')`,
    );
    expect(groups).toHaveLength(1);
    const distributed = `select logicalrelid::text as name from pg_dist_partition where logicalrelid::text in
      ('feeds', 'checkpoints') and partmethod = 'h' order by name`;
    expect(await execute(earlier.url, distributed)).toEqual([{ name: 'checkpoints' }, { name: 'feeds' }]);
    expect(await distribute(migrated)).toBe('distributed');
    const feed = postgresEventFeed(migrated);
    for (const owner of ['a', 'b', 'c', 'd']) {
      expect((await readEverything(feed, owner)).map(({ position }) => position)).toEqual(upTo(20));
      expect(await storedFeed(earlier.url, owner)).toEqual({ position: 20, purged: 0, purged_id: null });
    }
  });
});
