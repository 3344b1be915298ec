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
import { methodOf, routeOf } from './request-labels.ts';

/** What is traced while a request is worked on. Fastify keeps it while a body arrives. */
const current = new AsyncLocalStorage<Context>();

const traceparent = new W3CTraceContextPropagator();

/** What a new span is part of: the request that is worked on, if any. */
export function currentContext(): Context {
  return current.getStore() ?? ROOT_CONTEXT;
}

/** Makes a span of every request, part of the trace that its client says; each line of its log says which. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, reply, done) => {
    const outside = traceparent.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    const span = tracer.startSpan(
      nameOf(request),
      { kind: SpanKind.SERVER, attributes: attributesOf(request) },
      outside,
    );
    sayTrace(request, reply, span);
    // Fastify's onResponse would not come when the client leaves before it is answered.
    reply.raw.once('close', () => endSpan(span, reply));
    current.run(trace.setSpan(outside, span), done);
  });
}

/** Low in variety, as names of spans are to be. */
function nameOf(request: FastifyRequest): string {
  const method = methodOf(request) ?? 'HTTP';
  const route = routeOf(request);
  return route === undefined ? method : `${method} ${route}`;
}

/** By the semantic conventions of OpenTelemetry; without URL, address and credentials of the client. */
function attributesOf(request: FastifyRequest) {
  const route = routeOf(request);
  return {
    'http.request.method': methodOf(request) ?? '_OTHER',
    ...(route !== undefined && { 'http.route': route }),
  };
}

function sayTrace(request: FastifyRequest, reply: FastifyReply, span: Span): void {
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
