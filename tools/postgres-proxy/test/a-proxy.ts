import { type PostgresProxy, startPostgresProxy } from '@orders/postgres-proxy';
import { Client, type ClientConfig } from 'pg';
import { inject, onTestFinished } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL for the tests of this run. */
    postgresUrl: string;
  }
}

/** A proxy that is gone after the test. */
export async function aProxy(): Promise<PostgresProxy> {
  const proxy = await startPostgresProxy(inject('postgresUrl'));
  onTestFinished(() => proxy.close());
  return proxy;
}

/** A client that is gone after the test, connected to `url`, or else to PostgreSQL itself. */
export async function aClient(url: string = inject('postgresUrl'), options: ClientConfig = {}): Promise<Client> {
  const client = new Client({ connectionString: url, ...options });
  // A connection that is cut says so beside the answers that it owes.
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
