import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { UseCaseObserver } from './instrumented-domain.ts';
import { methodOf, routeOf } from './request-labels.ts';

/** The trace of the current request. Fastify preserves it while a body arrives. */
const current = new AsyncLocalStorage<Context>();

const traceparent = new W3CTraceContextPropagator();

/**
 * Creates a span for every request, as part of the trace in its headers. Each of its log lines contains the trace id.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, reply, done) => {
    const outside = traceparent.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    const span = tracer.startSpan(
      nameOf(request),
      { kind: SpanKind.SERVER, attributes: attributesOf(request) },
      outside,
    );
    logTraceId(request, reply, span);
    // Fastify calls no onResponse hook when the client disconnects early.
    reply.raw.once('close', () => endSpan(span, reply));
    current.run(trace.setSpan(outside, span), done);
  });
}

/** Returns a name of low cardinality, as OpenTelemetry requires of spans. */
function nameOf(request: FastifyRequest): string {
  const method = methodOf(request) ?? 'HTTP';
  const route = routeOf(request);
  return route === undefined ? method : `${method} ${route}`;
}

/**
 * Returns attributes of the semantic conventions of OpenTelemetry, without URL, address and credentials of the client.
 */
function attributesOf(request: FastifyRequest) {
  const route = routeOf(request);
  return {
    'http.request.method': methodOf(request) ?? '_OTHER',
    ...(route !== undefined && { 'http.route': route }),
  };
}

function logTraceId(request: FastifyRequest, reply: FastifyReply, span: Span): void {
  const { traceId, spanId } = span.spanContext();
  request.log = reply.log = request.log.child({ trace_id: traceId, span_id: spanId });
}

function endSpan(span: Span, { raw, statusCode }: FastifyReply): void {
  if (raw.headersSent) span.setAttribute('http.response.status_code', statusCode);
  if (!raw.writableFinished) {
    span.setAttribute('error.type', 'aborted');
  } else if (statusCode >= 500) {
    span.setAttribute('error.type', `${statusCode}`);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** Outcomes that are faults of the server, not of the request. */
const FAULTS: ReadonlySet<string> = new Set(['unavailable', 'thrown']);

/** Creates a span for every use case, as a child of the span of its request. */
export function useCaseSpans(tracer: Tracer): UseCaseObserver<Span> {
  return {
    begin: (useCase) => tracer.startSpan(useCase, {}, current.getStore() ?? ROOT_CONTEXT),
    end: (_useCase, span, outcome) => {
      span.setAttribute('orders.outcome', outcome);
      if (FAULTS.has(outcome)) {
        span.setAttribute('error.type', outcome);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}
