import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '@orders/child-processes';
import {
  issueKeys,
  type Postgres,
  type Server,
  startPostgres as startAnyPostgres,
  startServer,
  UNLIMITED,
} from '@orders/system-under-test';
import type { Stage } from './stage.ts';

/** A server of a scenario, whose log is in the folder of the stage. */
export interface StagedServer extends Server {
  readonly name: string;
  log(): Promise<string>;
}

/** A PostgreSQL, and servers on it. */
export interface Installation {
  readonly postgres: Postgres;
  /** A key of each owner. */
  readonly apiKeys: readonly string[];
  readonly servers: readonly [StagedServer, StagedServer];
  /** The URLs of the servers. */
  readonly urls: readonly string[];
}

const OWNERS = ['chaos-1', 'chaos-2', 'chaos-3'];

/** Starts two servers of `script` on a new database, then adds keys. `reached` maps its URL to the one they connect to. */
export async function install(
  stage: Stage,
  env: Readonly<Record<string, string>> = {},
  reached: (databaseUrl: string) => Promise<string> = (url) => Promise.resolve(url),
  script?: string,
): Promise<Installation> {
  const postgres = await startPostgres(stage);
  const start = async (name: string) => await serve(stage, name, await reached(postgres.url), env, script);
  const servers = await Promise.all([start('server-1'), start('server-2')]);
  const apiKeys = await issueKeys(postgres.url, OWNERS);
  return { postgres, apiKeys, servers, urls: servers.map(({ url }) => url) };
}

/** Starts a PostgreSQL that ends with its scenario. */
export async function startPostgres(stage: Stage, settings: Readonly<Record<string, string>> = {}): Promise<Postgres> {
  const dataDir = join(stage.folder, 'data');
  stage.atEnd(() => removeFolder(dataDir));
  const postgres = await startAnyPostgres(dataDir, settings);
  stage.atEnd(() => postgres.stop());
  return postgres;
}

/** Starts a server without rate limits, and otherwise with default settings, that is killed at the end of its scenario. */
export async function serve(
  stage: Stage,
  name: string,
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
  script?: string,
): Promise<StagedServer> {
  const logFile = join(stage.folder, `${name}.log`);
  const server = await startServer({ databaseUrl, env: { ...UNLIMITED, ...env }, logFile, script });
  stage.atEnd(() => server.kill());
  return { ...server, name, log: () => readFile(logFile, 'utf8') };
}
