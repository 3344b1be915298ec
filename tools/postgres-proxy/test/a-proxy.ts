import { type PostgresProxy, startPostgresProxy } from '@orders/postgres-proxy';
import { Client, type ClientConfig } from 'pg';
import { afterEach, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL for the tests of this run. */
    postgresUrl: string;
  }
}

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** A proxy that is gone after the test. */
export async function aProxy(): Promise<PostgresProxy> {
  const proxy = await startPostgresProxy(inject('postgresUrl'));
  ends.push(() => proxy.close());
  return proxy;
}

/** A client that is gone after the test, connected to `url`, or else to PostgreSQL itself. */
export async function aClient(url: string = inject('postgresUrl'), options: ClientConfig = {}): Promise<Client> {
  const client = new Client({ connectionString: url, ...options });
  // A connection that is cut says so beside the answers that it owes.
  client.on('error', () => undefined);
  await client.connect();
  ends.push(() => client.end());
  return client;
}
