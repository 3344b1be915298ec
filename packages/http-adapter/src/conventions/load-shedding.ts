import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OrdersHttpObserver, UNOBSERVED } from '../observer.ts';
import type { Problem } from './problem-details.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a machine asks by it how the server is: answered whatever there is to do, and not logged each time. */
    readonly isHealthCheck?: boolean;
  }
}

interface Load {
  readonly concurrencyMax?: number | undefined;
  readonly isOverloaded?: (() => boolean) | undefined;
  readonly observer?: OrdersHttpObserver | undefined;
}

const CONCURRENCY_MAX_DEFAULT = 1000;

/**
 * Refuses requests at once when there is too much to do, rather than to make all of them wait until none is answered in
 * time. To be asked first about each request.
 */
export function loadShedding({
  concurrencyMax = CONCURRENCY_MAX_DEFAULT,
  isOverloaded = () => false,
  observer = UNOBSERVED,
}: Load): (request: FastifyRequest, reply: FastifyReply) => Problem | undefined {
  let underWay = 0;
  const leave = () => {
    underWay -= 1;
  };
  return (request, reply) => {
    if (request.routeOptions.config.isHealthCheck === true) return undefined;
    if (underWay >= concurrencyMax || isOverloaded()) {
      observer.loadShed();
      return { code: 'unavailable', detail: 'The server has too much to do for the moment.' };
    }
    underWay += 1;
    // Also when the client leaves before it is answered, of which no hook is told.
    reply.raw.on('close', leave);
    return undefined;
  };
}
