import { type Database, distribute, openDatabase } from '@orders/persistence';
import { type PostgresProxy, type Statement, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { type ClusterDatabase, createClusterDatabase, twoPhaseCommits } from './cluster-database.ts';
import { taskCounts } from './plans-of-citus.ts';

/** Distributed tables for the tests of a file. */
export interface DistributedDatabase {
  readonly cluster: ClusterDatabase;
  readonly url: string;
  readonly database: Database;
  /** The same tables, through a proxy that notes the statements. */
  readonly watched: Database;
  /** Returns all statements that `watched` has sent. */
  statements(): readonly Statement[];
  /** Returns each distinct statement that `watched` has sent, without those that begin and end transactions. */
  sent(): readonly Statement[];
  /** Returns the number of two-phase commits during `work`, which gets a database of its own. */
  countTwoPhaseCommits(work: (own: Database) => Promise<unknown>): Promise<number>;
}

/** Scripts that begin and end transactions, with a savepoint and a reset around statements of a host. */
const OF_SESSION = /^(begin|commit|rollback|release savepoint|reset)\b/;

/** Creates distributed tables before the tests of the file, and drops them afterwards. */
export function distributedDatabase(): DistributedDatabase {
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

  return {
    get cluster() {
      return cluster;
    },
    get url() {
      return cluster.url;
    },
    get database() {
      return database;
    },
    get watched() {
      return watched;
    },
    statements: () => proxy.statements,
    sent: () => distinct(proxy.statements),
    countTwoPhaseCommits: async (work) => {
      const before = await twoPhaseCommits(cluster);
      const own = openDatabase({ url: cluster.url });
      try {
        await work(own);
      } finally {
        await own.close();
      }
      return (await twoPhaseCommits(cluster)) - before;
    },
  };
}

/** Expects that Citus executes each statement as one task on one node, at first and after many executions. */
export async function expectOneTaskEach(url: string, statements: readonly Statement[]): Promise<void> {
  for (const [index, counts] of (await taskCounts(url, statements)).entries()) {
    const text = statements[index]?.text;
    expect({ text, ...counts }).toEqual({ text, first: [1], later: [1] });
  }
}

/** Returns one of the statements that differ in nothing but values, without those that begin and end transactions. */
export function distinct(statements: readonly Statement[]): readonly Statement[] {
  const byText = new Map(statements.map((statement) => [statement.text.replaceAll(/'[^']*'/g, '?'), statement]));
  return [...byText.values()].filter(({ text }) => !OF_SESSION.test(text));
}
