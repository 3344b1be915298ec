import { createDomain } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { type DocumentOptions, openApiDocument } from '../src/openapi/document.ts';
import { routes } from '../src/routes.ts';

/** The document as a server of these sources publishes it. The routes want a domain, but no document depends on it. */
export function theDocument(options: DocumentOptions = {}) {
  const domain = createDomain({ ...inMemoryStore(), clock: fixedClock(), ids: sequentialIds() });
  return openApiDocument(routes(domain), options);
}
