import type { OrderDefinition } from '@orders/domain';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { type BaseUrl, throwOwnFault } from '../problems/problem.ts';
import { ownRoute, stateOf } from '../request-state.ts';
import { ASSETS } from './assets.ts';
import { DOCS_PAGE, openApiResource } from './docs-page.ts';
import { healthChecks, type Readiness } from './health-checks.ts';
import type { PublicResource } from './public-resource.ts';
import { problemPages } from './problem-pages.ts';
import { protectedResourceMetadata } from './protected-resource-metadata.ts';

/** What the pages show. */
interface Shown {
  readonly document: () => unknown;
  readonly definition: OrderDefinition;
  readonly authorizationServers: readonly string[] | undefined;
  readonly whyNotReady: Readiness | undefined;
}

/** Returns all pages. */
export function publicResources(shown: Shown, baseUrl: BaseUrl): readonly PublicResource[] {
  return [
    DOCS_PAGE,
    ...ASSETS,
    openApiResource(shown.document),
    ...problemPages(baseUrl, shown.definition),
    ...protectedResourceMetadata(shown.authorizationServers, baseUrl),
    ...healthChecks(shown.whyNotReady, baseUrl),
  ];
}

/** What decides about the requests for pages, and counts what they cost. */
export interface PublicAdmission {
  readonly admitPublic: onRequestHookHandler;
  readonly loopTime: { readonly begin: () => number };
  readonly chargePublic: (request: FastifyRequest, began: number) => void;
}

/** Serves pages, so that hooks of the host do not take their replies and errors for their own. */
export function servePublicResources(
  app: FastifyInstance,
  pages: readonly PublicResource[],
  admission: PublicAdmission,
): void {
  const { admitPublic, loopTime, chargePublic } = admission;
  for (const { path, isHealthCheck = false, handle } of pages) {
    app.route({
      ...ownRoute({ isHealthCheck }),
      method: ['GET', 'HEAD'],
      url: path,
      onRequest: isHealthCheck ? [] : admitPublic,
      handler: (request, reply) => {
        stateOf(request).responds = true;
        try {
          const began = loopTime.begin();
          const handled = handle(request, reply);
          chargePublic(request, began);
          return handled instanceof Promise ? handled.catch(throwOwnFault) : handled;
        } catch (cause) {
          return throwOwnFault(cause);
        }
      },
    });
  }
}
