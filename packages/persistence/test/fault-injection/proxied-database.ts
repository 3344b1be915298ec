import { randomBytes } from 'node:crypto';
import type { Domain } from '@orders/domain';
import { createDomain } from '@orders/domain/runtime';
import { fixedClock } from '@orders/domain/testing';
import { type Database, openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { type PostgresProxy, startPostgresProxy } from '@orders/postgres-proxy';
import { Client } from 'pg';
import { afterAll, afterEach, inject, vi } from 'vitest';
import type { DatabaseSettings } from '../../src/database/open-pools.ts';
import { createDatabase, dropDatabase } from '../fixtures/create-database.ts';
import { FINDS_TABLES } from '../fixtures/execute.ts';

/** A database behind a proxy. */
export interface ProxiedDatabase {
  readonly proxy: PostgresProxy;
  /** The URL of the database itself. */
  readonly url: string;
  /** A session on the database itself, for all reads of a file: to open one takes longer than a short statement. */
  readonly session: Client;
  /** A domain that connects to the database directly. */
  readonly direct: Domain;
  /** Opens a server's domain through the proxy, by default with one connection, and closes it after the test. */
  open(settings?: DatabaseSettings): Promise<Domain>;
}

/**
 * Creates a database for the test file, and drops it after the file. It already exists while tests are collected,
 * because each statement of a write becomes a test.
 */
export async function proxiedDatabase(): Promise<ProxiedDatabase> {
  const admin = inject('postgresUrl');
  const name = `faults_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(admin, name, inject('templateDatabase'));
  const session = new Client({ connectionString: url, ...FINDS_TABLES });
  await session.connect();
  const direct = openDatabase({ url });
  const proxy = await startPostgresProxy(url);
  const opened: Database[] = [];
  const close = async () => {
    for (const other of opened.splice(0)) await other.close();
  };
  afterEach(close);
  afterAll(async () => {
    await close();
    await proxy.close();
    await direct.close();
    await session.end();
    await dropDatabase(admin, name);
  });
  return {
    proxy,
    url,
    session,
    direct: domainOn(direct),
    open: async (settings = {}) => {
      const preparedStatements = inject('preparedStatements');
      const other = openDatabase({ poolMax: 1, preparedStatements, ...settings, url: proxy.url });
      opened.push(other);
      // From here on the connection executes only requested statements. The first connection may take longer than a
      // statement.
      await vi.waitFor(() => other.ping());
      return domainOn(other);
    },
  };
}

/** The clock stands still, so that equal commands have equal outcomes except for ids. */
function domainOn(database: Database): Domain {
  const orders = postgresOrderRepository(database);
  const customers = postgresCustomerRepository(database);
  return createDomain({ orders, customers, clock: fixedClock('2026-01-02T03:04:05.678Z') });
}
