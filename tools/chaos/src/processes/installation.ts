import { makeApiKeys } from '../api-key.ts';
import type { Stage } from '../stage.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { type Server, startServer } from './server.ts';

/** A PostgreSQL, and servers on it. */
export interface Installation {
  readonly postgres: Postgres;
  /** The key of the first owner. */
  readonly apiKey: string;
  /** A key of each owner. */
  readonly apiKeys: readonly string[];
  readonly servers: readonly [Server, Server];
  /** The URLs of the servers. */
  readonly urls: readonly string[];
}

const OWNERS = ['chaos-1', 'chaos-2', 'chaos-3'];

/** Starts two servers on a new database. `reached` maps its URL to the one that a server connects to. */
export async function install(
  stage: Stage,
  env: Readonly<Record<string, string>> = {},
  reached?: (databaseUrl: string) => Promise<string>,
): Promise<Installation> {
  return await installOn(stage, await startPostgres(stage), env, reached);
}

/** Starts two servers on a running PostgreSQL. */
export async function installOn(
  stage: Stage,
  postgres: Postgres,
  env: Readonly<Record<string, string>> = {},
  reached: (databaseUrl: string) => Promise<string> = (url) => Promise.resolve(url),
): Promise<Installation> {
  const apiKeys = await makeApiKeys(postgres.url, OWNERS);
  const [apiKey = ''] = apiKeys;
  const start = async (name: string) => await startServer(stage, name, await reached(postgres.url), env);
  const servers = await Promise.all([start('server-1'), start('server-2')]);
  return { postgres, apiKey, apiKeys, servers, urls: servers.map(({ url }) => url) };
}
