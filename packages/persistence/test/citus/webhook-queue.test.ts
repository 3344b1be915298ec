import { webhookQueueContract } from '@orders/domain/testing';
import { type Database, distribute, openDatabase, postgresWebhookQueue } from '@orders/persistence';
import { type PostgresProxy, type Statement, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../src/migration/migrations-list.ts';
import { upTo } from '../events/feed-rows.ts';
import { execute } from '../execute.ts';
import { migrateWith } from '../migrating.ts';
import { ACCEPTED, endpointId, insertEndpoint, insertVersions, storedDeliveries } from '../webhooks/delivery-rows.ts';
import { queueSubject } from '../webhooks/queue-subject.ts';
import { type ClusterDatabase, createClusterDatabase, twoPhaseCommits } from './cluster-database.ts';
import { taskCounts } from './plans-of-citus.ts';

/** The search for owners whose endpoints have something to receive, which includes all owners. */
const DUE_OWNERS = /^\s*select e\.owner_id from webhook_endpoints as e\s/;

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

/** Returns each distinct statement of the queue that was sent. */
function sent(): readonly Statement[] {
  const byText = new Map(proxy.statements.map((statement) => [statement.text, statement]));
  return [...byText.values()].filter(({ text }) => /\bwebhook_/.test(text));
}

/** Delivers everything of an owner. */
async function deliverAll(opened: Database, owner: string): Promise<void> {
  const queue = postgresWebhookQueue(opened);
  while ((await queue.fanOut(owner))._unsafeUnwrap());
  for (;;) {
    const claimed = (await queue.claim(owner, 8))._unsafeUnwrap();
    if (claimed.length === 0) return;
    for (const one of claimed) (await queue.settle(owner, one, ...ACCEPTED))._unsafeUnwrap();
  }
}

describe('on distributed tables', () => {
  webhookQueueContract({ describe, it }, () => ({
    ...queueSubject(watched, database, cluster.url),
    purge: (cutoff) => queueSubject(database, database, cluster.url).purge(cutoff),
  }));

  it('every statement about one owner is one task on one node, at first and after many executions', async () => {
    const statements = sent().filter(({ text }) => !DUE_OWNERS.test(text));
    const texts = statements.map(({ text }) => text).join('\n');
    for (const part of ['webhook_fan_out', 'webhook_claim', 'webhook_settle', 'as is_behind']) {
      expect(texts).toContain(part);
    }
    for (const statement of statements.filter(({ text }) => !text.startsWith('update'))) {
      const { text } = statement;
      expect({ text, ...(await taskCounts(cluster.url, statement)) }).toEqual({ text, first: [1], later: [1] });
    }
  });

  it('no delivery of one owner is committed in two phases', async () => {
    const owner = 'one node';
    for (const number of upTo(2)) await insertEndpoint(cluster.url, owner, endpointId(number));
    await insertVersions(cluster.url, owner, 1, [1, 20]);
    const earlier = await twoPhaseCommits(cluster);
    const own = openDatabase({ url: cluster.url });
    await deliverAll(own, owner);
    // A session reports its counts at the latest when it ends.
    await own.close();
    expect(await twoPhaseCommits(cluster)).toBe(earlier);
    expect((await storedDeliveries(cluster.url, owner)).map(({ status }) => status)).toEqual(
      Array.from({ length: 40 }, () => 'delivered'),
    );
  });

  it('finds the owners of all nodes that are due', async () => {
    const owners = upTo(16).map((number) => `due ${String(number).padStart(2, '0')}`);
    for (const owner of owners) {
      await insertEndpoint(cluster.url, owner, endpointId(1));
      await insertVersions(cluster.url, owner, 1, [1, 1]);
    }
    const queue = postgresWebhookQueue(database);
    expect((await queue.findDue(16, 'due '))._unsafeUnwrap()).toEqual(owners);
    for (const owner of owners.slice(0, 8)) await deliverAll(database, owner);
    expect((await queue.findDue(8, 'due '))._unsafeUnwrap()).toEqual(owners.slice(8));
  });
});

describe('the migration of webhooks on distributed tables', () => {
  it('distributes its tables beside the others', async () => {
    const earlier = await createClusterDatabase(inject('citusUrl'));
    onTestFinished(earlier.drop);
    const list = MIGRATIONS.filter(({ name }) => name < '0010');
    await migrateWith(earlier.url, list);
    for (const table of ['customers', 'orders', 'changes', 'checkpoints', 'feeds', 'idempotency']) {
      const colocated = table === 'customers' ? 'none' : 'customers';
      await execute(
        earlier.url,
        `select create_distributed_table('${table}', 'owner_id', colocate_with => '${colocated}')`,
      );
    }
    const migrated = openDatabase({ url: earlier.url });
    onTestFinished(() => migrated.close());
    expect(await migrated.migrate()).toContain('0010-webhooks');
    const groups = await execute(
      earlier.url,
      `select distinct colocation_id from citus_tables
       where table_name::text in ('orders', 'webhook_deliveries', 'webhook_endpoints', 'webhook_queues')`,
    );
    expect(groups).toHaveLength(1);
    await insertEndpoint(earlier.url, 'owner', endpointId(1));
    await insertVersions(earlier.url, 'owner', 1, [1, 5]);
    await deliverAll(migrated, 'owner');
    expect(await storedDeliveries(earlier.url, 'owner')).toHaveLength(5);
  });
});
