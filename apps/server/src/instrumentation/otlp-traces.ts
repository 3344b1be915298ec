import { setTimeout as sleep } from 'node:timers/promises';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { observed } from './instrumented-domain.ts';
import { traceRequests } from './spans.ts';
import { sampler } from './sampler.ts';
import { tellOutages } from './logged-outages.ts';
import type { Traces } from './start-traces.ts';
import { useCaseSpans } from './use-case-spans.ts';

/** How long the last spans may take to be delivered, in milliseconds. */
const FLUSH_MS = 2000;

/** Traces that go to an OpenTelemetry collector. Nothing is registered globally: they are of one server. */
export async function otlpTraces(config: Config, log: FastifyBaseLogger): Promise<Traces> {
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'orders' }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: sampler(config),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: tellOutages(await exporter(config), log),
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
        exportTimeoutMillis: config.OTEL_BSP_EXPORT_TIMEOUT,
        maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
      }),
    ],
  });
  const tracer = provider.getTracer('orders');
  return {
    useCases: (domain) => observed(domain, useCaseSpans(tracer)),
    requests: (app) => traceRequests(app, tracer),
    stop: async () => {
      // Spans that are not taken are lost; the log says so.
      const delivered = provider.shutdown().catch(() => undefined);
      await Promise.race([delivered, sleep(FLUSH_MS, undefined, { ref: false })]);
    },
  };
}

/** The exporter reads the rest of its configuration from the environment: addresses, headers, certificates. */
async function exporter(config: Config): Promise<SpanExporter> {
  const protocol = config.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? config.OTEL_EXPORTER_OTLP_PROTOCOL;
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}
