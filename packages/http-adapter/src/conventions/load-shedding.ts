import type { FastifyInstance } from 'fastify';
import { type OrdersHttpObserver, UNOBSERVED } from '../observer.ts';
import { COMMON_HEADERS } from './common-headers.ts';
import { type BaseUrl, sendProblem } from './problem-details.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether it is answered however much there is to do. */
    readonly answersUnderLoad?: boolean;
  }
  interface FastifyRequest {
    /** Whether it is counted among those under way. */
    isCounted: boolean;
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
  app.decorateRequest('isCounted', false);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.answersUnderLoad === true) return done();
    if (underWay < concurrencyMax && !isOverloaded()) {
      underWay += 1;
      request.isCounted = true;
      return done();
    }
    observer.loadShed();
    void reply.headers(COMMON_HEADERS).header('x-request-id', request.id);
    const detail = 'The server has too much to do for the moment.';
    void sendProblem(reply, { code: 'unavailable', detail }, baseUrl);
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.isCounted) underWay -= 1;
    done();
  });
}
