import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { purgeInBackground } from './background-purge.ts';
import { addressOf, compose } from './compose.ts';
import type { Config } from './config.ts';
import { endDemoApiKeys, ensureDemoApiKey } from './demo-api-key.ts';
import { greeting } from './greeting.ts';
import { createLog } from './log.ts';
import { readiness } from './readiness.ts';
import { redisRateLimits } from './redis-rate-limits.ts';
import { StartupError } from './startup-error.ts';
import { openStore } from './store.ts';

/** Serves until told to stop, and leaves nothing running behind. */
export async function serve(config: Config): Promise<void> {
  const stopping = stopSignal();
  const log = createLog(config);
  const store = await openStore(config, 'alone', (message) => log.warn(message));
  const { REDIS_URL } = config;
  const redis = REDIS_URL === undefined ? undefined : await redisRateLimits(REDIS_URL);
  try {
    const { whyNotReady, beginToStop } = readiness(store.database);
    const app = await compose(config, { database: store.database, log, rateLimitStore: redis, whyNotReady });
    if (store.embedded) await ensureDemoApiKey(store.apiKeys, config.DATA_DIR, new Date());
    if (config.NODE_ENV === 'production') await endDemoApiKeys(store.apiKeys, new Date());
    await listen(app, config);
    const stopPurging = purgeInBackground(store.database, config, log);
    if (store.embedded) process.stdout.write(greeting(addressOf(app, config), config));
    const reason = await Promise.race([stopping, store.embedded?.ended.then(() => 'lost' as const) ?? stopping]);
    beginToStop();
    log.info({ reason }, 'stopping');
    await Promise.all([drain(app, config.SHUTDOWN_GRACE_MS), stopPurging()]);
    if (reason === 'lost') throw new StartupError([`the embedded PostgreSQL ended by itself; see ${config.DATA_DIR}`]);
  } finally {
    redis?.close();
    await store.close();
  }
}

/** Settles with the first signal that asks the process to end. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve);
  });
}

async function listen(app: FastifyInstance, { HOST, PORT }: Config): Promise<void> {
  try {
    await app.listen({ host: HOST, port: PORT });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'EADDRINUSE') throw new StartupError([`PORT: ${PORT} is in use on ${HOST}`], { cause });
    if (code === 'EACCES') throw new StartupError([`PORT: ${PORT} may not be used by this account`], { cause });
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new StartupError([`HOST: ${HOST} is no address of this machine`], { cause });
    }
    throw cause;
  }
}

/** Lets requests in flight end, for as long as the grace lasts. */
async function drain(app: FastifyInstance, graceMs: number): Promise<void> {
  const over = new AbortController();
  const closed = app.close().finally(() => over.abort());
  // A connection that was busy when closing began is kept alive by its answer, and idle from then on.
  const reaper = setInterval(() => app.server.closeIdleConnections(), 50);
  await sleep(graceMs, undefined, { signal: over.signal }).catch(() => undefined);
  clearInterval(reaper);
  app.server.closeAllConnections();
  await closed;
}
