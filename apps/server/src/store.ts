import {
  type ApiKeyRepository,
  type ClientCertificateRepository,
  type Database,
  openDatabase,
  postgresApiKeys,
  postgresClientCertificates,
} from '@orders/persistence';
import { attachEmbeddedPostgres, type EmbeddedPostgres, startEmbeddedPostgres } from '@orders/persistence/embedded';
import type { Config } from './config.ts';
import { StartupError } from './startup-error.ts';

/** Where the orders are: a database, and the PostgreSQL it is in when that is our own. */
export interface Store {
  /** How the database is reached; with the password, so not for the log. */
  readonly url: string;
  readonly database: Database;
  readonly apiKeys: ApiKeyRepository;
  readonly clientCertificates: ClientCertificateRepository;
  readonly embedded: EmbeddedPostgres | undefined;
  close(): Promise<void>;
}

/** Whether a PostgreSQL may be shared with a server that runs on the same `DATA_DIR`, or must be ours alone. */
export type Sharing = 'alone' | 'shared';

/**
 * Opens the database of `DATABASE_URL`, else the embedded one in `DATA_DIR`, and brings its schema up to date.
 *
 * @throws {StartupError} the database cannot be reached or used
 */
export async function openStore(config: Config, sharing: Sharing, warn: (message: string) => void): Promise<Store> {
  const embedded = config.DATABASE_URL === undefined ? await openEmbedded(config, sharing) : undefined;
  const url = config.DATABASE_URL ?? embedded?.url ?? '';
  const database = openDatabase({
    url,
    replicaUrls: config.DATABASE_REPLICA_URLS,
    preparedStatements: config.DATABASE_PREPARED_STATEMENTS === 'on',
    poolMax: config.DATABASE_POOL_MAX,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    warn,
  });
  const close = async () => {
    await database.close();
    await embedded?.stop();
  };
  try {
    await database.migrate();
  } catch (cause) {
    await close();
    throw new StartupError([`${describeDatabase(config)} cannot be used: ${messageOf(cause)}`], { cause });
  }
  const clientCertificates = postgresClientCertificates(database);
  return { url, database, apiKeys: postgresApiKeys(database), clientCertificates, embedded, close };
}

async function openEmbedded(config: Config, sharing: Sharing): Promise<EmbeddedPostgres> {
  const open = sharing === 'alone' ? startEmbeddedPostgres : attachEmbeddedPostgres;
  try {
    return await open({ dataDir: config.DATA_DIR });
  } catch (cause) {
    throw new StartupError([messageOf(cause)], { cause });
  }
}

/** Names the database without its password. */
function describeDatabase({ DATABASE_URL, DATA_DIR }: Config): string {
  if (DATABASE_URL === undefined) return `DATA_DIR: the database in ${DATA_DIR}`;
  const { host, pathname } = new URL(DATABASE_URL);
  return `DATABASE_URL: the database ${host}${pathname}`;
}

/** The innermost reason: a refused connection comes as several attempts with an empty message around them. */
function messageOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.map(messageOf).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}
