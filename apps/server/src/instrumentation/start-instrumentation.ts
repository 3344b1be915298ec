import type { OrdersHttpObserver } from '@orders/http-adapter';
import type { Database, Purged } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { Observation } from './instrumentation.ts';
import { startMetrics } from './start-metrics.ts';
import { startTraces } from './start-traces.ts';

/** All that watches a server, as configured: maybe nothing. */
export interface ServerObservation {
  readonly observations: readonly Observation[];
  readonly httpObserver: OrdersHttpObserver | undefined;
  readonly purged: ((rows: Purged) => void) | undefined;
  /** Delivers what is left. The last thing that a server does: what cannot be delivered ends with the process. */
  stop(): Promise<void>;
}

/**
 * Begins to watch.
 *
 * @throws {StartupError} metrics cannot be served where they should be
 */
export async function observeServer(
  config: Config,
  database: Database,
  log: FastifyBaseLogger,
): Promise<ServerObservation> {
  const metrics = await startMetrics(config, database, log);
  const traces = await startTraces(config, log);
  return {
    observations: [metrics, traces].filter((observation) => observation !== undefined),
    httpObserver: metrics?.http,
    purged: metrics?.purged,
    stop: async () => {
      await metrics?.stop();
      await traces?.stop();
    },
  };
}
