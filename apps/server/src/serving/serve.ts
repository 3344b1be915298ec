import { setTimeout as sleep } from 'node:timers/promises';
import type { OrdersDatabase } from '@orders/persistence';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { DatabaseClock } from '../database/clocks.ts';
import { addressOf, compose, operatorsUrlOf } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { isForDeveloper, isLogReadable, isProduction } from '../config/developer-output.ts';
import type { ServerEnvironment } from '../read-environment.ts';
import { endDemoApiKeys, ensureDemoApiKey } from '../database/demo-api-key.ts';
import { openConsole, signInHere } from './console.ts';
import { drainable } from './drain.ts';
import { startJobs } from '../jobs/job.ts';
import { serverJobs } from '../jobs/server-jobs.ts';
import { greeting } from './greeting.ts';
import { announceServer } from './running-server.ts';
import { type ServerInstrumentation, startInstrumentation } from '../instrumentation/start-instrumentation.ts';
import { listen } from '../listener.ts';
import { createLog } from '../logging/log.ts';
import { OperatorError } from '../operator-error.ts';
import { readiness } from '../database/readiness.ts';
import type { RedisRateLimits } from './redis-rate-limits.ts';
import { listenForStop } from './stop-signal.ts';
import { prepareSchema } from '../database/prepare-schema.ts';
import { describeDatabase, openStore } from '../database/store.ts';
import { readManifest } from '../require-node.ts';
import { hasWebhooks, requireKeysInUse, signingKeys } from '../config/webhook-settings.ts';

/** Runs a server until a signal stops it, and cleans up everything that it started. */
export async function serve(environment: ServerEnvironment): Promise<void> {
  const { signal, stopped } = listenForStop();
  const log = await createLog(environment.config);
  for (const doubt of environment.doubts) log.warn(doubt);
  try {
    await serveUntil(stopped, signal, environment, log);
    log.info('stopped');
  } catch (cause) {
    if (!signal.aborted || cause !== signal.reason) throw cause;
    log.info('stopped before it was ready');
  }
}

async function serveUntil(
  stopping: Promise<NodeJS.Signals>,
  signal: AbortSignal,
  { config, definition, given }: ServerEnvironment,
  log: FastifyBaseLogger,
): Promise<void> {
  const warn = (message: string) => log.warn(message);
  const inform = (message: string) => log.info(message);
  const clock = new DatabaseClock();
  const prepare = async (database: OrdersDatabase) => {
    await clock.require(database);
    await prepareSchema(database, config, { signal, log: inform });
  };
  const store = await openStore(config, { definition, sharing: 'alone', warn, log: inform, prepare, signal });
  let instrumentation: ServerInstrumentation | undefined;
  const onDifference = (ms: number) => instrumentation?.metrics?.clockDifference(ms);
  const { whyNotReady, check, beginToStop, close: closeReadiness } = readiness(store, log, { clock, onDifference });
  const redis = await openRateLimits(config);
  const console = openConsole();
  let stopBuild: (() => Promise<void>) | undefined;
  let withdraw: (() => Promise<void>) | undefined;
  try {
    const keys = hasWebhooks(config) ? await signingKeys(config) : undefined;
    if (keys) await requireKeysInUse(store.database, keys, warn);
    instrumentation = await startInstrumentation(config, store.database, log, check);
    const { instrumentations, metrics } = instrumentation;
    const { app, operators, domain, webhooks, recordUses, ownerSettings, system } = await compose(config, {
      database: store.database,
      log,
      signingKeys: keys,
      console: console.files,
      webhookClock: clock,
      webhookObserver: metrics?.jobs,
      rateLimitStore: redis,
      whyNotReady,
      given,
      instrumentations,
      httpObserver: metrics?.http,
    });
    if (store.embedded) await ensureDemoApiKey(store.apiKeys, config.DATA_DIR, new Date());
    if (isProduction(config)) await endDemoApiKeys(store.apiKeys, new Date());
    await ownerSettings.read();
    const drains = [app, ...(operators ? [operators] : [])].map(drainable);
    await listen(app, '', config);
    if (operators) await listenForOperators(operators, config, log);
    if (store.embedded) withdraw = await announceServer(config.DATA_DIR, addressOf(app, config));
    const start = startOf(config, keys !== undefined);
    if (isLogReadable(config)) log.info(`Orders ${start.version}, ${start.database}, webhooks ${start.webhooks}`);
    else log.info(start, 'started');
    const jobs = { domain, webhooks, recordUses, ownerSettings, checkReadiness: check };
    const parts = { database: store.database, log, observer: system.observing(metrics?.jobs), ...jobs };
    const stopJobs = startJobs(serverJobs(parts, config), log);
    if (isForDeveloper(config)) {
      const url = operators?.server.listening === true ? operatorsUrlOf(operators, config) : undefined;
      const consoleUrl = url !== undefined && store.embedded ? await signInHere(store.database, url) : url;
      const urls = { address: addressOf(app, config), consoleUrl };
      process.stdout.write(greeting(urls, config, store.embedded ? 'embedded' : 'external'));
    }
    if (store.embedded) stopBuild = console.build(log);
    const reason = await Promise.race([stopping, store.embedded?.ended.then(() => 'lost' as const) ?? stopping]);
    beginToStop();
    log.info({ reason }, 'stopping');
    if (reason !== 'lost') await sleep(config.SHUTDOWN_DELAY_MS);
    await Promise.all([...drains.map((drain) => drain(config.SHUTDOWN_GRACE_MS)), stopJobs()]);
    if (reason === 'lost')
      throw new OperatorError([
        `the embedded PostgreSQL ended unexpectedly; its log is in ${config.DATA_DIR}/postgresql.log`,
      ]);
  } finally {
    await stopBuild?.();
    await withdraw?.();
    redis?.close();
    await closeReadiness();
    await store.close();
    await instrumentation?.stop();
  }
}

/** Returns what an operator wants to know of a start, without secrets. */
function startOf(config: Config, hasKeys: boolean) {
  return {
    version: readManifest().version,
    node: process.version,
    database: describeDatabase(config),
    schema: config.DATABASE_SCHEMA,
    replicas: config.DATABASE_REPLICA_URLS.length,
    webhooks: hasKeys ? (config.WEBHOOKS ?? 'on') : 'off',
    statistics: config.STATISTICS,
    tls: config.TLS_CERT_FILE !== undefined,
    tokens: config.AUTH_JWT_ISSUER ?? null,
    shared_rate_limits: config.REDIS_URL !== undefined,
    definition: config.ORDERS_DEFINITION ?? null,
    production: isProduction(config),
  };
}

/** Opens the Redis that several servers share, if configured. Its client is imported only then. */
async function openRateLimits({ REDIS_URL }: Config): Promise<RedisRateLimits | undefined> {
  if (REDIS_URL === undefined) return undefined;
  const { redisRateLimits } = await import('./redis-rate-limits.ts');
  return await redisRateLimits(REDIS_URL);
}

/** Listens for operators. With the default port another program may have it, and the server goes on without. */
async function listenForOperators(operators: FastifyInstance, config: Config, log: FastifyBaseLogger): Promise<void> {
  try {
    await listen(operators, 'ADMIN_', config);
  } catch (error) {
    if (config.ADMIN_PORT !== undefined || !(error instanceof OperatorError)) throw error;
    log.warn(`${error.message}; operators cannot be served`);
  }
}
