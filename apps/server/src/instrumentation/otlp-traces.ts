import { setTimeout as sleep } from 'node:timers/promises';
import { ExportResultCode } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Instrumentation } from './instrumentation.ts';
import { instrumentedDomain, instrumentedFeed } from './instrumented-domain.ts';
import { traceRequests, useCaseSpans } from './spans.ts';

/** The traces of one server. */
export interface Traces extends Instrumentation {
  /** Exports the remaining spans, within a time limit. */
  stop(): Promise<void>;
}

/** Maximum duration of the last export, in milliseconds. */
const FLUSH_MS = 2000;

/**
 * Starts traces that go to an OpenTelemetry collector, without registering anything globally. `log` receives outages of
 * the collector.
 */
export async function otlpTraces(config: Config, log: FastifyBaseLogger): Promise<Traces> {
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'orders' }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: sampler(config),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: logOutages(await exporter(config), log),
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
        exportTimeoutMillis: config.OTEL_BSP_EXPORT_TIMEOUT,
        maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
      }),
    ],
  });
  const tracer = provider.getTracer('orders');
  return {
    useCases: (domain) => instrumentedDomain(domain, useCaseSpans(tracer)),
    feed: (feed) => instrumentedFeed(feed, useCaseSpans(tracer)),
    requests: (app) => traceRequests(app, tracer),
    stop: async () => {
      // Spans that are not accepted are lost; the log reports it.
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

/** Returns the sampler, which selects the requests that are traced. The SDK itself does not read these variables. */
function sampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Config): Sampler {
  const root = name.endsWith('always_on')
    ? new AlwaysOnSampler()
    : name.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** Logs when the export of spans begins to fail, and when it works again. The SDK reports neither. */
function logOutages(exporter: SpanExporter, log: FastifyBaseLogger): SpanExporter {
  let lost = 0;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) {
          if (lost === 0)
            log.warn(
              { err: result.error },
              'spans cannot be exported to the collector and are lost until it accepts them',
            );
          lost += spans.length;
        } else if (lost > 0) {
          log.info({ lost }, 'spans are exported again');
          lost = 0;
        }
        done(result);
      }),
    forceFlush: async () => await exporter.forceFlush?.(),
    shutdown: async () => await exporter.shutdown(),
  };
}
