import { createDomain, type OrderDefinition, ORDERS } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { API_KEY_SCHEMES } from '../src/admission/authentication/api-keys.ts';
import { BEARER_SCHEMES } from '../src/admission/authentication/bearer-tokens.ts';
import { CLIENT_CERTIFICATE_SCHEMES } from '../src/admission/authentication/client-certificates.ts';
import { type DocumentOptions, openApiDocument } from '../src/openapi/document.ts';
import { eventWaiters } from '../src/api/event-waiters.ts';
import { UNOBSERVED } from '../src/observer.ts';
import type { Operation } from '../src/api/operation.ts';
import { operations } from '../src/api/operations.ts';
import { operatorDocument } from '../src/operator/operator-document.ts';
import { operatorRoutes, type RouteParts } from '../src/operator/operator-plugin.ts';
import { webhooksOf } from '../test/fixtures/a-webhooks.ts';

/** The URL of a server that was started without any setting, which the published document has. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';

/** All supported ways of authentication. */
const EVERY_AUTHENTICATION: DocumentOptions['authentication'] = {
  securitySchemes: { ...BEARER_SCHEMES, ...API_KEY_SCHEMES, ...CLIENT_CERTIFICATE_SCHEMES },
  scopeChallenge: () => 'Bearer',
};

/** Returns every operation of the current sources, for orders of `definition`. */
export function currentOperations(definition: OrderDefinition = ORDERS): readonly Operation[] {
  const store = inMemoryStore({ definition });
  const domain = createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() }, definition);
  const parts = { domain, feed: store.feed, statistics: store.statistics, webhooks: webhooksOf(definition, store) };
  return operations(parts, {
    waiters: eventWaiters(() => () => undefined, UNOBSERVED),
    scopeChallenge: undefined,
    baseUrl: () => '',
    loopTime: { begin: () => 0, charge: () => undefined, turn: () => undefined },
  });
}

/**
 * Returns the document that a server of the current sources publishes, for orders of `definition`. The routes need a domain,
 * but its data does not matter.
 */
export function currentDocument(options: Partial<DocumentOptions> = {}) {
  const { definition = ORDERS } = options;
  return openApiDocument(currentOperations(definition), {
    definition,
    baseUrl: () => DEFAULT_BASE_URL,
    authentication: EVERY_AUTHENTICATION,
    ...options,
  });
}

/** Returns the document of the listener for operators, for orders of `definition`. */
export function currentOperatorDocument(definition: OrderDefinition = ORDERS) {
  const adminUrl = () => 'http://127.0.0.1:3001';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a document calls none of them
  const parts = { adminUrl, definition } as RouteParts;
  return operatorDocument(operatorRoutes(currentOperations(definition), parts), { adminUrl, definition });
}
