import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { FastifyBaseLogger } from 'fastify';

/** Tells `log` when spans are not delivered any more, and when they are again: nobody else hears of it. */
export function tellOutages(exporter: SpanExporter, log: FastifyBaseLogger): SpanExporter {
  let lost = 0;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) {
          if (lost === 0) log.warn({ err: result.error }, 'spans cannot be delivered, and are lost until they can');
          lost += spans.length;
        } else if (lost > 0) {
          log.info({ lost }, 'spans are delivered again');
          lost = 0;
        }
        done(result);
      }),
    forceFlush: async () => await exporter.forceFlush?.(),
    shutdown: async () => await exporter.shutdown(),
  };
}
