import type { Domain, OrderDefinition } from '@orders/domain';
import type { EventFeed } from '@orders/domain/events';
import {
  type ApiKeyRepository,
  type ClientCertificateRepository,
  type Database,
  type OrdersDatabase,
  openDatabase,
  postgresApiKeys,
  postgresClientCertificates,
  postgresEventFeed,
} from '@orders/persistence';
import {
  attachEmbeddedPostgres,
  type EmbeddedPostgres,
  hasEmbeddedPostgres,
  startEmbeddedPostgres,
} from '@orders/persistence/embedded';
import type { Config } from '../config/config.ts';
import { tlsAdvice } from '../config/database-url.ts';
import { domainOf, idempotencyTtlOf } from '../domain.ts';
import { OperatorError, reasonOf } from '../operator-error.ts';

/** The database of the orders, and its PostgreSQL if it is embedded. */
export interface Store {
  /** The connection URL. It contains the password, so it must not be logged. */
  readonly url: string;
  readonly database: Database<unknown, OrderDefinition>;
  readonly apiKeys: ApiKeyRepository;
  readonly clientCertificates: ClientCertificateRepository;
  readonly embedded: EmbeddedPostgres | undefined;
  /** Opens the use cases of orders and customers. */
  readonly openDomain: () => Domain<OrderDefinition>;
  /** Opens the same database for orders of another definition. The caller closes it. */
  readonly openFor: (definition: OrderDefinition) => Database<unknown, OrderDefinition>;
  /** Opens the feed of events. */
  readonly openFeed: () => EventFeed<OrderDefinition>;
  close(): Promise<void>;
}

/** Whether the PostgreSQL may be shared with a server on the same `DATA_DIR`, or must belong to this process. */
type Sharing = 'alone' | 'shared';

/** Options of {@link openStore} other than the configuration. */
export interface StoreOptions {
  /** The definition of orders. */
  readonly definition: OrderDefinition;
  readonly sharing: Sharing;
  readonly warn: (message: string) => void;
  /** Receives what takes long. */
  readonly log: (message: string) => void;
  /** Brings the schema into the state that the caller needs, or throws. */
  readonly prepare: (database: OrdersDatabase) => Promise<void>;
  /** Aborts the preparation. Default: never. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens and prepares the database of `DATABASE_URL`, or else the embedded one in `DATA_DIR`.
 *
 * @throws {OperatorError} the database cannot be reached or used
 * @throws the reason of the signal, when it is aborted
 */
export async function openStore(
  config: Config,
  { definition, sharing, warn, log, prepare, signal }: StoreOptions,
): Promise<Store> {
  const embedded = config.DATABASE_URL === undefined ? await openEmbedded(config, sharing, log) : undefined;
  const url = config.DATABASE_URL ?? embedded?.url ?? '';
  const settings = {
    // That of the use cases in a transaction.
    idempotencyTtlMs: idempotencyTtlOf(config),
    url,
    schema: config.DATABASE_SCHEMA,
    replicaUrls: config.DATABASE_REPLICA_URLS,
    preparedStatements: config.DATABASE_PREPARED_STATEMENTS === 'on',
    poolMax: config.DATABASE_POOL_MAX,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    lockTimeoutMs: config.LOCK_TIMEOUT_MS,
    warn,
  };
  const openFor = (other: OrderDefinition) => openDatabase({ ...settings, definition: other });
  const database = openFor(definition);
  const close = async () => {
    await database.close();
    await embedded?.stop();
  };
  try {
    signal?.throwIfAborted();
    await prepare(database);
  } catch (cause) {
    await close();
    signal?.throwIfAborted();
    if (cause instanceof OperatorError)
      throw new OperatorError([`${describeDatabase(config)}: ${cause.message.trim()}`], { cause });
    const reason = reasonOf(cause);
    throw new OperatorError([`cannot use ${describeDatabase(config)}: ${reason}${tlsAdvice(reason)}`], { cause });
  }
  return {
    url,
    database,
    // They load MikroORM, which most commands do without.
    get apiKeys() {
      return postgresApiKeys(database);
    },
    get clientCertificates() {
      return postgresClientCertificates(database);
    },
    embedded,
    openFor,
    openDomain: () => domainOf(config, database, () => new Date()),
    openFeed: () => postgresEventFeed(database),
    close,
  };
}

/**
 * Requires an existing database, so that a command does not create an empty embedded one.
 *
 * @throws {OperatorError} there is no database
 */
export async function requireDatabase({ DATABASE_URL, DATA_DIR }: Config): Promise<void> {
  if (DATABASE_URL !== undefined) return;
  const isThere = await hasEmbeddedPostgres(DATA_DIR).catch((cause: unknown) => {
    throw OperatorError.of(cause);
  });
  if (isThere) return;
  throw new OperatorError([
    `DATA_DIR: there is no database in ${DATA_DIR} yet; run pnpm orders migrate, or start the server`,
  ]);
}

/** The interval of lines about a database that is being created, in milliseconds. A slow disk takes ten seconds for it. */
const PROGRESS_MS = 2500;

async function openEmbedded(
  { DATA_DIR: dataDir }: Config,
  sharing: Sharing,
  log: StoreOptions['log'],
): Promise<EmbeddedPostgres> {
  const open = sharing === 'alone' ? startEmbeddedPostgres : attachEmbeddedPostgres;
  let progress: NodeJS.Timeout | undefined;
  try {
    if (!(await hasEmbeddedPostgres(dataDir))) {
      log(`creating a database in ${dataDir}`);
      const begun = performance.now();
      const seconds = () => Math.round((performance.now() - begun) / 1000);
      progress = setInterval(() => log(`creating the database, for ${seconds()} s now`), PROGRESS_MS);
    }
    return await open({ dataDir });
  } catch (cause) {
    throw OperatorError.of(cause);
  } finally {
    clearInterval(progress);
  }
}

/** Describes the database, without its password. */
export function describeDatabase({ DATABASE_URL, DATA_DIR }: Config): string {
  if (DATABASE_URL === undefined) return `DATA_DIR: the database in ${DATA_DIR}`;
  const { host, pathname, searchParams } = new URL(DATABASE_URL);
  return `DATABASE_URL: the database ${searchParams.get('host') ?? host}${pathname}`;
}
