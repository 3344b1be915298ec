import { type PostgresProxy, startPostgresProxy } from '@orders/postgres-proxy';
import { Client, type ClientConfig } from 'pg';
import { inject, onTestFinished } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL of the test run. */
    postgresUrl: string;
  }
}

/** Starts a proxy, and closes it after the test. */
export async function aProxy(): Promise<PostgresProxy> {
  const proxy = await startPostgresProxy(inject('postgresUrl'));
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Connects a client to `url`, by default to PostgreSQL itself, and closes it after the test. */
export async function aClient(url: string = inject('postgresUrl'), options: ClientConfig = {}): Promise<Client> {
  const client = new Client({ connectionString: url, ...options });
  // A cut connection emits an error in addition to the rejections of its queries.
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
