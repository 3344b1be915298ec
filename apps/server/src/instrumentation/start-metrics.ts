import type { Database } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { serveMetrics } from './metrics-listener.ts';
import type { Metrics } from './metrics.ts';
import { poolUse } from './pool-use.ts';

/** Metrics that can be collected. */
export interface ServedMetrics extends Metrics {
  stop(): Promise<void>;
}

/** Measures, and serves what it measured, when there is a port for it. */
export async function startMetrics(
  config: Config,
  database: Database,
  log: FastifyBaseLogger,
): Promise<ServedMetrics | undefined> {
  if (config.METRICS_PORT === undefined) return undefined;
  // Loaded only now: most who try the server do without.
  const { createMetrics } = await import('./metrics.ts');
  const metrics = createMetrics(poolUse(database));
  const { url, close } = await serveMetrics(metrics.registry, config, config.METRICS_PORT);
  log.info(`metrics are served at ${url}`);
  return { ...metrics, stop: close };
}
