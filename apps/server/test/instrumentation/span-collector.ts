import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { listenAnywhere } from '../programs/ports.ts';

/** The trace of a client, its span, and the header with both. */
export const TRACE = '0af7651916cd43dd8448eb211c80319c';
export const PARENT = 'b7ad6b7169203331';
export const TRACEPARENT = { traceparent: `00-${TRACE}-${PARENT}-01` };

const Attributes = z
  .array(z.object({ key: z.string(), value: z.object({ stringValue: z.string(), intValue: z.number() }).partial() }))
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value.stringValue ?? value.intValue])));

/** A span as a collector receives it: of kind 1 inside a server, of kind 2 for a request; with status 2 for an error. */
const Span = z
  .object({
    name: z.string(),
    traceId: z.string(),
    spanId: z.string(),
    parentSpanId: z.string().optional(),
    kind: z.number(),
    attributes: Attributes,
    status: z.object({ code: z.number() }),
  })
  .transform(({ status, ...span }) => ({ ...span, status: status.code }));

const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

export type SpanCollector = Awaited<ReturnType<typeof aSpanCollector>>;

/**
 * Starts a fake OpenTelemetry collector that receives spans by OTLP over HTTP, until the test ends. A silent one accepts
 * requests and never responds.
 */
export async function aSpanCollector({ silent = false } = {}) {
  const requests: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      requests.push({ url: request.url ?? '', headers: request.headers, body });
      if (!silent) response.setHeader('content-type', request.headers['content-type'] ?? '').end();
    });
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${await listenAnywhere(server)}`;
  return {
    url,
    /** The environment of a server that sends its spans to this collector, as JSON and without delay. */
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
    requests,
    /** Returns all spans, each with the name of its service. */
    spans: () =>
      requests.flatMap(({ body }) =>
        Export.parse(JSON.parse(body.toString())).resourceSpans.flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map((span) => ({ ...span, service: resource.attributes['service.name'] })),
          ),
        ),
      ),
  };
}

/** Waits for the only span with this name. */
export async function spanNamed(collector: SpanCollector, name: string) {
  return await vi.waitFor(() => {
    const [span, ...others] = collector.spans().filter((collected) => collected.name === name);
    if (!span || others.length > 0) throw new Error(`${others.length + (span ? 1 : 0)} spans have the name ${name}`);
    return span;
  });
}
