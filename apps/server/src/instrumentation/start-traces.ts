import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { Observation } from './instrumentation.ts';

/** The traces of one server. */
export interface Traces extends Observation {
  /** Delivers what there is, as long as that does not take long. */
  stop(): Promise<void>;
}

/** Traces requests when the environment asks for it. `log` is told when spans cannot be delivered. */
export async function startTraces(config: Config, log: FastifyBaseLogger): Promise<Traces | undefined> {
  if (!areWanted(config)) return undefined;
  // Loaded only now: it takes a while and some memory, and most servers do without.
  const { otlpTraces } = await import('./otlp-traces.ts');
  return otlpTraces(config, log);
}

function areWanted(config: Config): boolean {
  if (config.OTEL_SDK_DISABLED || config.OTEL_TRACES_EXPORTER === 'none') return false;
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_TRACES_EXPORTER } = config;
  return [OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_TRACES_EXPORTER].some(
    (value) => value !== undefined,
  );
}
