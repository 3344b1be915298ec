import type { FastifyInstance } from 'fastify';
import { type OrdersHttpObserver, UNOBSERVED } from '../observer.ts';
import { COMMON_HEADERS } from './common-headers.ts';
import { type BaseUrl, sendProblem } from './problem-details.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether it is answered however much there is to do. */
    readonly answersUnderLoad?: boolean;
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
 * time. To be called before other hooks are added.
 */
export function shedLoad(
  app: FastifyInstance,
  { concurrencyMax = CONCURRENCY_MAX_DEFAULT, isOverloaded = () => false, observer = UNOBSERVED }: Load,
  baseUrl: BaseUrl,
): void {
  let underWay = 0;
  const leave = () => {
    underWay -= 1;
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.answersUnderLoad === true) return done();
    if (underWay < concurrencyMax && !isOverloaded()) {
      underWay += 1;
      // Also when the client leaves before it is answered, of which no hook is told.
      reply.raw.once('close', leave);
      return done();
    }
    observer.loadShed();
    void reply.headers(COMMON_HEADERS).header('x-request-id', request.id);
    const detail = 'The server has too much to do for the moment.';
    void sendProblem(reply, { code: 'unavailable', detail }, baseUrl);
  });
}
