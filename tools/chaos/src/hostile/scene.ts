import { join } from 'node:path';
import { removeFolder } from '@orders/child-processes';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import { issueKeys, type Postgres, type Server, startPostgres, startServer } from '@orders/system-under-test';
import type { Stage } from '../stage.ts';
import { type QuietOwners, quietOwners } from './quiet-owners.ts';

/** So many quiet owners that none comes near its limits, and some others. */
const [QUIET_OWNERS, TENANTS] = [24, 10];

/** An order with one item. */
export const ORDER = { items: [{ sku: 'X', name: 'X', quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }] };

/** A tenant that may misbehave, with a key, and a client that sends each request once. */
export interface Tenant {
  readonly owner: string;
  readonly apiKey: string;
  readonly client: OrdersClient;
}

export function clientOf(url: string, apiKey: string): OrdersClient {
  return createOrdersClient({ baseUrl: url, credentials: { apiKey }, retries: 0, timeoutMs: 30_000 });
}

/** A server with quiet owners, and with a few tenants who are not. */
export interface HostileScene {
  readonly stage: Stage;
  readonly postgres: Postgres;
  /** The server, whose memory is watched. */
  readonly server: Server;
  readonly owners: QuietOwners;
  /** Returns the tenant of a number from 0 to 9. */
  readonly tenant: (number: number) => Tenant;
  /** Starts a further server of the same settings. */
  readonly serve: (name: string) => Promise<Server>;
}

/** Starts a PostgreSQL and a server with the limits as shipped. */
export async function setScene(stage: Stage, env: Readonly<Record<string, string>> = {}): Promise<HostileScene> {
  const dataDir = join(stage.folder, 'data');
  stage.atEnd(() => removeFolder(dataDir));
  const postgres = await startPostgres(dataDir);
  stage.atEnd(() => postgres.stop());
  const serve = async (name: string) => {
    const server = await startServer({ databaseUrl: postgres.url, env, logFile: join(stage.folder, `${name}.log`) });
    stage.atEnd(() => server.kill());
    return server;
  };
  const quiet = Array.from({ length: QUIET_OWNERS }, (_, index) => `quiet-${index}`);
  const tenants = Array.from({ length: TENANTS }, (_, index) => `tenant-${index}`);
  const keys = await issueKeys(postgres.url, [...quiet, ...tenants]);
  const server = await serve('server');
  const owners = await quietOwners(server.url, keys.slice(0, QUIET_OWNERS));
  return {
    stage,
    postgres,
    server,
    owners,
    tenant: (number) => {
      const apiKey = keys[QUIET_OWNERS + number] ?? '';
      return { owner: `tenant-${number}`, apiKey, client: clientOf(server.url, apiKey) };
    },
    serve,
  };
}
