import { createServer, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished, vi } from 'vitest';
import { listenAnywhere } from '../programs/ports.ts';

/** The trace of a client, its span, and the header with both. */
export const TRACE = '0af7651916cd43dd8448eb211c80319c';
export const PARENT = 'b7ad6b7169203331';
export const TRACEPARENT = { traceparent: `00-${TRACE}-${PARENT}-01` };

/** A span as a collector receives it. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** 1 for internal spans, 2 for requests to a server. */
  readonly kind: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 for an error. */
  readonly status: unknown;
  readonly service: unknown;
}

/** A fake OpenTelemetry collector that receives spans by OTLP over HTTP. */
export interface SpanCollector {
  readonly url: string;
  /** The environment of a server that sends its spans to this collector, as JSON and without delay. */
  readonly environment: Readonly<Record<string, string>>;
  readonly requests: readonly { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[];
  readonly spans: () => readonly CollectedSpan[];
}

/** Listens until the test ends. A silent collector accepts requests and never responds. */
export async function aSpanCollector({ silent = false } = {}): Promise<SpanCollector> {
  const requests: { url: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
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
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
    requests,
    spans: () => requests.flatMap(({ body }) => spansIn(JSON.parse(body.toString()))),
  };
}

/** Waits for the only span with this name. */
export async function spanNamed(collector: SpanCollector, name: string): Promise<CollectedSpan> {
  return await vi.waitFor(() => {
    const [span, ...others] = collector.spans().filter((collected) => collected.name === name);
    if (!span || others.length > 0)
      throw new Error(`${others.length} spans have another name, or no span has the name ${name}`);
    return span;
  });
}

function spansIn(sent: unknown): readonly CollectedSpan[] {
  return membersOf(sent, 'resourceSpans').flatMap((ofResource) => {
    const service = attributesOf(member(ofResource, 'resource'))['service.name'];
    const scopes = membersOf(ofResource, 'scopeSpans');
    return scopes.flatMap((scope) => membersOf(scope, 'spans').map((span) => spanOf(span, service)));
  });
}

function spanOf(span: unknown, service: unknown): CollectedSpan {
  return {
    name: text(member(span, 'name')) ?? '',
    traceId: text(member(span, 'traceId')) ?? '',
    spanId: text(member(span, 'spanId')) ?? '',
    parentSpanId: text(member(span, 'parentSpanId')),
    kind: member(span, 'kind'),
    attributes: attributesOf(span),
    status: member(member(span, 'status'), 'code'),
    service,
  };
}

function attributesOf(holder: unknown): Readonly<Record<string, unknown>> {
  const pairs = membersOf(holder, 'attributes').map((attribute) => {
    const value: unknown = member(attribute, 'value');
    return [text(member(attribute, 'key')) ?? '', member(value, 'stringValue') ?? member(value, 'intValue')] as const;
  });
  return Object.fromEntries(pairs);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function membersOf(holder: unknown, name: string): readonly unknown[] {
  const members = member(holder, name);
  return Array.isArray(members) ? members : [];
}

function member(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null
    ? Object.getOwnPropertyDescriptor(holder, name)?.value
    : undefined;
}
