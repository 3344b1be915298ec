import { randomUUID } from 'node:crypto';
import { customerRepositoryContract, type OpenSubject, orderRepositoryContract } from '@orders/domain/testing';
import {
  type Database,
  distribute,
  openDatabase,
  postgresCustomerRepository,
  postgresOrderRepository,
} from '@orders/persistence';
import { type PostgresProxy, type Statement, startPostgresProxy } from '@orders/postgres-proxy';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { execute } from '../execute.ts';
import { recordedEvents } from '../recorded-events.ts';
import { type ClusterDatabase, createClusterDatabase, twoPhaseCommits } from './cluster-database.ts';
import { taskCounts } from './plans-of-citus.ts';

let cluster: ClusterDatabase;
let database: Database;
let proxy: PostgresProxy;
let watched: Database;
let before: number;

beforeAll(async () => {
  cluster = await createClusterDatabase(inject('citusUrl'));
  database = openDatabase({ url: cluster.url });
  await database.migrate();
  await distribute(database);
  proxy = await startPostgresProxy(cluster.url);
  watched = openDatabase({ url: proxy.url });
  before = await twoPhaseCommits(cluster);
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

/** Returns the URL of the node that has the rows of an owner. */
async function nodeOf(owner: string): Promise<string> {
  const [row] = await execute<{ nodeport: number }>(
    cluster.url,
    `select nodeport from citus_shards where shardid = get_shard_id_for_distribution_column('orders', '${owner}')`,
  );
  const node = cluster.nodes.find((url) => new URL(url).port === `${row?.nodeport}`);
  if (node === undefined) throw new Error(`no node has the rows of ${owner}`);
  return node;
}

describe('distributed tables', () => {
  it('have shards on several nodes', async () => {
    const nodes = 'select distinct nodename, nodeport from citus_shards';
    expect((await execute(cluster.url, nodes)).length).toBeGreaterThanOrEqual(2);
  });
});

describe('while the contracts run on distributed tables', () => {
  const open: OpenSubject = () => ({
    orders: postgresOrderRepository(watched),
    customers: postgresCustomerRepository(watched),
    events: (owner) => recordedEvents(database, owner),
  });
  orderRepositoryContract({ describe, it }, open);
  customerRepositoryContract({ describe, it }, open);

  it('every statement is one task on one node, at first and after many executions', async () => {
    const statements = sent();
    expect(statements.length).toBeGreaterThan(20);
    for (const statement of statements) {
      const { text } = statement;
      expect({ text, ...(await taskCounts(cluster.url, statement)) }).toEqual({ text, first: [1], later: [1] });
    }
  });

  // The generic plan of an insert grows at each execution, for as long as the connection is open.
  it('a write function takes no memory on its node', async () => {
    const insert = proxy.statements.find(
      ({ text, parameters }) => text.includes('order_insert') && !parameters.includes(''),
    );
    if (!insert) throw new Error('no order was placed with a key');
    const session = new Client({ connectionString: await nodeOf(insert.parameters[0] ?? '') });
    await session.connect();
    const memoryAfter = async (calls: number): Promise<number> => {
      for (let count = 0; count < calls; count += 1) {
        // The used key rolls the write back after all of its inserts were planned and executed.
        const values = insert.parameters.with(1, randomUUID());
        await expect(session.query({ name: 'insert', text: insert.text, values: [...values] })).rejects.toThrow(
          'idempotency_pkey',
        );
      }
      const sum = 'select sum(total_bytes)::int as bytes from pg_backend_memory_contexts';
      return (await session.query<{ bytes: number }>(sum)).rows[0]?.bytes ?? 0;
    };
    try {
      const earlier = await memoryAfter(20);
      expect((await memoryAfter(200)) - earlier).toBeLessThan(1_000_000);
    } finally {
      await session.end();
    }
  });

  it('no write is committed in two phases', async () => {
    // A session reports its counts at the latest when it ends.
    await watched.close();
    expect(await twoPhaseCommits(cluster)).toBe(before);
  });
});

describe('the check of plans', () => {
  const check = (text: string, parameters: readonly (string | null)[]) => taskCounts(cluster.url, { text, parameters });

  it('finds a statement on all shards', async () => {
    const { first } = await check('select id from orders where id = $1', ['00000000-0000-0000-0000-000000000000']);
    expect(first[0]).toBeGreaterThan(1);
  });

  it('finds a comparison with null, which drops the filter by owner', async () => {
    const text = `select w.key from (select 1) as always left join idempotency as w on w.owner_id = $1 and w.key = $2`;
    expect((await check(text, ['owner', 'key'])).first).toEqual([1]);
    expect((await check(text, ['owner', null])).first).not.toEqual([1]);
  });

  it('finds a function that is not called on its node', async () => {
    expect((await check('select lower($1)', ['OWNER'])).first).toEqual([]);
  });

  it('finds a two-phase commit', async () => {
    const earlier = await twoPhaseCommits(cluster);
    await execute(cluster.url, `delete from customers where email = 'nobody'`);
    expect(await twoPhaseCommits(cluster)).toBeGreaterThan(earlier);
  });
});
