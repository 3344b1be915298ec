import type { OrdersDatabase } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config/config.ts';
import type { ServerReadiness } from '../database/readiness.ts';
import type { Instrumentation } from './instrumentation.ts';
import type { Metrics } from './metrics.ts';
import type { Traces } from './otlp-traces.ts';

/** The configured metrics and traces of a server, possibly none. */
export interface ServerInstrumentation {
  readonly instrumentations: readonly Instrumentation[];
  readonly metrics: Metrics | undefined;
  /** Exports the remaining spans. This is the last step of a server: unsent spans are lost with the process. */
  stop(): Promise<void>;
}

/**
 * Starts the configured metrics and traces.
 *
 * @throws {OperatorError} the metrics endpoint cannot listen at its address
 */
export async function startInstrumentation(
  config: Config,
  database: OrdersDatabase,
  log: FastifyBaseLogger,
  checkReadiness: ServerReadiness['check'],
): Promise<ServerInstrumentation> {
  const metrics = await startMetrics(config, database, log, checkReadiness);
  const traces = await startTraces(config, log);
  return {
    instrumentations: [metrics, traces].filter((each) => each !== undefined),
    metrics,
    stop: async () => {
      await metrics?.stop();
      await traces?.stop();
    },
  };
}

/** Metrics that Prometheus can scrape until {@link stop}. */
interface ServedMetrics extends Metrics {
  stop(): Promise<void>;
}

/**
 * Starts the metrics of a process, if they are configured. A worker has no readiness to check.
 *
 * @throws {OperatorError} the metrics endpoint cannot listen at its address
 */
export async function startMetrics(
  config: Config,
  database: OrdersDatabase,
  log: FastifyBaseLogger,
  checkReadiness?: ServerReadiness['check'],
): Promise<ServedMetrics | undefined> {
  if (config.METRICS_PORT === undefined) return undefined;
  // Imported late, because few servers serve metrics.
  const [{ createMetrics }, { serveMetrics }] = await Promise.all([
    import('./metrics.ts'),
    import('./metrics-listener.ts'),
  ]);
  const metrics = createMetrics(database, checkReadiness);
  const { url, close } = await serveMetrics(metrics.registry, config);
  log.info(`metrics are served at ${url}`);
  return { ...metrics, stop: close };
}

async function startTraces(config: Config, log: FastifyBaseLogger): Promise<Traces | undefined> {
  if (!isTraced(config)) return undefined;
  // Imported late, because the import takes time and memory, and few servers send traces.
  const { otlpTraces } = await import('./otlp-traces.ts');
  return otlpTraces(config, log);
}

function isTraced(config: Config): boolean {
  if (config.OTEL_SDK_DISABLED || config.OTEL_TRACES_EXPORTER === 'none') return false;
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_TRACES_EXPORTER } = config;
  return [OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_TRACES_EXPORTER].some(
    (value) => value !== undefined,
  );
}
