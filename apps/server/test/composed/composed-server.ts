import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@orders/child-processes';
import type { OrderDefinition } from '@orders/domain';
import type { Database } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import type { FastifyInstance } from 'fastify';
import { compose, type Parts } from '../../src/compose.ts';
import { readConfig } from '../../src/config/config.ts';
import { startJobs } from '../../src/jobs/job.ts';
import { loadDefinition } from '../../src/definition/load-definition.ts';
import { createLog } from '../../src/logging/log.ts';
import { openStore } from '../../src/database/store.ts';
import { issueKey } from '../programs/server-on-database.ts';

/** A server in the process of its tests, on a database of its own. */
export interface ComposedServer {
  readonly app: FastifyInstance;
  /** The listener for operators, with `ADMIN_PORT`. */
  readonly operators: FastifyInstance | undefined;
  readonly database: Database<unknown, OrderDefinition>;
  /** Reads what is set for owners, as a job does. */
  readonly readOwnerSettings: () => Promise<void>;
  /** Creates an API key of `owner` with all scopes. */
  readonly issueKey: (owner: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/**
 * Composes a server as the program does, on a new PostgreSQL. `reached` maps the URL of its database to the one that it
 * connects to.
 */
export async function composeServer(
  env: Readonly<Record<string, string>> = {},
  reached: (databaseUrl: string) => Promise<string> = (url) => Promise.resolve(url),
  parts: Partial<Parts> = {},
): Promise<ComposedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-composed-'));
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
  const clean = async () => {
    await postgres.stop();
    await removeFolder(folder);
  };
  try {
    const server = await composeServerOn(await reached(postgres.url), env, parts);
    return {
      ...server,
      close: async () => {
        await server.close();
        await clean();
      },
    };
  } catch (cause) {
    await clean();
    throw cause;
  }
}

/** The signing key of webhooks. */
const SIGNING_KEY = Buffer.alloc(32, 'composed').toString('base64');

/** Composes a server on an existing database. Unless `parts` say otherwise, it delivers no webhooks. */
export async function composeServerOn(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
  { deliversWebhooks = false, ...parts }: Partial<Parts> & { readonly deliversWebhooks?: boolean } = {},
): Promise<ComposedServer> {
  const config = readConfig({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent', ...env });
  const { definition } = await loadDefinition(env);
  const store = await openStore(config, {
    definition,
    sharing: 'alone',
    warn: () => undefined,
    log: () => undefined,
    prepare: async (database) => void (await database.migrate()),
  });
  const log = await createLog(config);
  const { app, operators, webhooks, ownerSettings } = await compose(config, {
    database: store.database,
    log,
    signingKeys: [SIGNING_KEY],
    ...parts,
  });
  const stopJobs = startJobs(deliversWebhooks && webhooks ? [webhooks.deliver] : [], log);
  return {
    app,
    operators,
    database: store.database,
    readOwnerSettings: ownerSettings.read,
    issueKey: (owner) => issueKey(store.apiKeys, owner),
    close: async () => {
      await Promise.all([app.close(), operators?.close(), stopJobs()]);
      await store.close();
    },
  };
}
