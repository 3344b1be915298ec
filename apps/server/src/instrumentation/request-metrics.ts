import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Gauge, Histogram, type Registry } from 'prom-client';
import { methodOf, routeOf } from './request-labels.ts';

/** From what a read takes to what a time limit ends, in seconds. */
export const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Measures every request that reaches a route, or none. */
export function measureRequests(app: FastifyInstance, registry: Registry): void {
  let underWay = 0;
  const durations = new Histogram({
    name: 'orders_http_request_duration_seconds',
    help: 'How long requests took, from their headers to the end of the answer',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  const inFlight: Gauge = new Gauge({
    name: 'orders_http_requests_in_flight',
    help: 'Requests that are not answered yet',
    registers: [registry],
    collect: () => inFlight.set(underWay),
  });
  app.addHook('onRequest', (request, reply, done) => {
    underWay += 1;
    // Fastify's onResponse would not come when the client leaves before it is answered.
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
