import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { createDomain, type Domain } from '@orders/domain';
import { fixedClock } from '@orders/domain/testing';
import { type Database, openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { type PostgresProxy, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, afterEach, inject, vi } from 'vitest';
import { dropDatabase } from '../drop-database.ts';
import { execute } from '../execute.ts';

/** A database with a proxy before it. */
export interface ProxiedDatabase {
  readonly proxy: PostgresProxy;
  /** How to reach the database past the proxy. */
  readonly url: string;
  /** The domain on the database, past the proxy. */
  readonly direct: Domain;
  /** A server's domain with one connection, through the proxy; gone after the test. */
  open(statementTimeoutMs?: number): Promise<Domain>;
}

/**
 * A database of the test file's own, gone after it. It is there while the tests are still being named, because there is
 * a test for each statement that a write turns out to execute.
 */
export async function proxiedDatabase(): Promise<ProxiedDatabase> {
  const admin = inject('postgresUrl');
  const name = `faults_${randomBytes(6).toString('hex')}`;
  await execute(admin, `create database ${name}`);
  const at = new URL(admin);
  at.pathname = `/${name}`;
  const url = at.href;
  const database = openDatabase({ url });
  await database.migrate();
  const proxy = await startPostgresProxy(url);
  const opened: Database[] = [];
  const close = async () => {
    for (const other of opened.splice(0)) await other.close();
  };
  afterEach(close);
  afterAll(async () => {
    await close();
    await proxy.close();
    await database.close();
    await dropDatabase(admin, name);
  });
  return {
    proxy,
    url,
    direct: domainOn(database),
    open: async (statementTimeoutMs) => {
      const preparedStatements = inject('preparedStatements');
      const other = openDatabase({ url: proxy.url, poolMax: 1, statementTimeoutMs, preparedStatements });
      opened.push(other);
      // From here on it executes nothing but what it is asked for. A sign of life may take longer than a statement may.
      await vi.waitFor(() => other.ping(), 10_000);
      return domainOn(other);
    },
  };
}

/** With a clock that stands still, so that the same command has the same outcome but for its ids. */
function domainOn(database: Database): Domain {
  return createDomain({
    orders: postgresOrderRepository(database),
    customers: postgresCustomerRepository(database),
    clock: fixedClock('2026-01-02T03:04:05.678Z'),
    ids: { next: () => randomUUIDv7() },
  });
}
