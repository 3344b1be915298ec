import { makeApiKeys } from '../api-key.ts';
import { type Postgres, startPostgres } from '../processes/postgres.ts';
import { type Server, startServer } from '../processes/server.ts';
import type { Stage } from '../stage.ts';

/** So many owners that none comes near its limits. */
const QUIET_OWNERS = 24;

/** The default limits. */
const SHIPPED_LIMITS = { RATE_LIMIT_READ: '', RATE_LIMIT_WRITE: '', RATE_LIMIT_ANONYMOUS: '' };

/** Owners with a key each. */
const TENANTS = 16;

/** A database with API keys for quiet owners and for a few tenants who are not. */
export interface Tenancy {
  readonly postgres: Postgres;
  readonly quietKeys: readonly string[];
  /** The key of the tenant `tenant-{number}`, from 0 to 15. */
  readonly tenantKey: (number: number) => string;
  /** Starts a server with the default limits. */
  readonly serve: (name: string, env?: Readonly<Record<string, string>>) => Promise<Server>;
}

/** The owner behind `tenantKey(number)`. */
export const tenantOwner = (number: number) => `tenant-${number}`;

export async function startTenancy(stage: Stage): Promise<Tenancy> {
  const postgres = await startPostgres(stage);
  const quiet = Array.from({ length: QUIET_OWNERS }, (_, index) => `quiet-${index}`);
  const keys = await makeApiKeys(postgres.url, [
    ...quiet,
    ...Array.from({ length: TENANTS }, (_, number) => tenantOwner(number)),
  ]);
  return {
    postgres,
    quietKeys: keys.slice(0, QUIET_OWNERS),
    tenantKey: (number) => keys[QUIET_OWNERS + number] ?? '',
    serve: (name, env = {}) => startServer(stage, name, postgres.url, { ...SHIPPED_LIMITS, ...env }),
  };
}

/** Returns the path of the largest file that is served without credentials, according to the page. */
export async function bundlePath(url: string): Promise<string> {
  const page = await (await fetch(`${url}/docs`)).text();
  const [, path] = /src="\.?\/?([^"]*bundle[^"]*)"/.exec(page) ?? [];
  if (path === undefined) throw new Error('the page at /docs names no bundle');
  return `/${path}`;
}

/** Returns the number of an owner's orders. */
export async function countOrders(url: string, apiKey: string): Promise<number> {
  const response = await fetch(`${url}/v1/orders?limit=100`, { headers: { 'x-api-key': apiKey } });
  const body: unknown = await response.json();
  const data: unknown = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
  if (!Array.isArray(data)) throw new Error(`the orders cannot be listed: ${response.status}`);
  return data.length;
}
