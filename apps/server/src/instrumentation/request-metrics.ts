import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { metersOf } from './meters.ts';
import { methodOf, routeOf } from './request-labels.ts';

/** Bucket limits in seconds, from the duration of a read to the time limit of a request. */
export const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Measures every request, with or without a route. Those that only wait for events are not in progress. */
export function measureRequests(app: FastifyInstance, registry: Registry, waiting: () => number): void {
  let underWay = 0;
  const durations = metersOf(registry).histogram(
    'orders_http_request_duration_seconds',
    'Duration of requests, from their headers to the end of the response',
    DURATION_BUCKETS,
    'method',
    'route',
    'status',
  );
  const inFlight: Gauge = new Gauge({
    name: 'orders_http_requests_in_flight',
    help: 'Requests in progress',
    registers: [registry],
    collect: () => inFlight.set(Math.max(0, underWay - waiting())),
  });
  app.addHook('onRequest', (request, reply, done) => {
    underWay += 1;
    // Fastify calls no onResponse hook when the client disconnects early.
    reply.raw.once('close', () => {
      underWay -= 1;
      durations.observe(labelsOf(request, reply), reply.elapsedTime / 1000);
    });
    done();
  });
}

function labelsOf(request: FastifyRequest, reply: FastifyReply) {
  return {
    method: methodOf(request) ?? 'other',
    route: routeOf(request) ?? 'unknown',
    status: reply.raw.writableFinished ? reply.statusCode : 'aborted',
  };
}
