import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OrdersHttpObserver, UNOBSERVED } from '../observer.ts';
import { isHealthCheck } from '../request-state.ts';
import type { Problem } from '../problems/problem.ts';

interface Load {
  readonly concurrencyMax?: number | undefined;
  readonly isOverloaded?: (() => boolean) | undefined;
  readonly observer?: OrdersHttpObserver | undefined;
}

const CONCURRENCY_MAX_DEFAULT = 1000;

/** The requests in progress, and the rejection of others while the server is overloaded. */
interface LoadShedding {
  /** Counts a request, or returns the problem with which it is rejected. Call this first for each request. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => Problem | undefined;
  /** Stops counting a response, for example while its request only waits. Returns the function that counts it again. */
  readonly pause: (response: ServerResponse) => () => void;
}

/**
 * Rejects requests of an overloaded server immediately, because otherwise all requests would wait until none of them
 * finishes in time. A request counts until its response is written, even if the client does not read it.
 */
export function loadShedding({
  concurrencyMax = CONCURRENCY_MAX_DEFAULT,
  isOverloaded = () => false,
  observer = UNOBSERVED,
}: Load): LoadShedding {
  /** Includes written responses that are not read yet. Those are removed only when the limit seems reached. */
  const underWay = new Set<ServerResponse>();
  function leave(this: ServerResponse): void {
    underWay.delete(this);
  }
  const isFull = (): boolean => {
    if (underWay.size < concurrencyMax) return false;
    for (const response of underWay) if (response.writableEnded) underWay.delete(response);
    return underWay.size >= concurrencyMax;
  };
  const admit = (request: FastifyRequest, reply: FastifyReply): Problem | undefined => {
    if (isHealthCheck(request)) return undefined;
    if (isFull() || isOverloaded()) {
      observer.loadShed();
      return {
        code: 'unavailable',
        detail: 'The server is overloaded and did not process the request. A retry is safe.',
      };
    }
    underWay.add(reply.raw);
    // Fastify calls no hook when the client disconnects before the response.
    reply.raw.on('close', leave);
    return undefined;
  };
  const pause = (response: ServerResponse) => {
    underWay.delete(response);
    return () => {
      // The client may have disconnected meanwhile, after which no event removes the response.
      if (!response.closed && !response.writableEnded) underWay.add(response);
    };
  };
  return { admit, pause };
}
