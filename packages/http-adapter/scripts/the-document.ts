import { createDomain } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { API_KEY_SCHEMES } from '../src/admission/authentication/api-keys.ts';
import { BEARER_SCHEMES } from '../src/admission/authentication/bearer-tokens.ts';
import { CLIENT_CERTIFICATE_SCHEMES } from '../src/admission/authentication/client-certificates.ts';
import { type DocumentOptions, openApiDocument } from '../src/openapi/document.ts';
import { operations } from '../src/api/operations.ts';

/** Every way of authentication that there is. */
const EVERY_WAY: DocumentOptions['authentication'] = {
  securitySchemes: { ...BEARER_SCHEMES, ...API_KEY_SCHEMES, ...CLIENT_CERTIFICATE_SCHEMES },
  scopeChallenge: () => 'Bearer',
};

/** The document as a server of these sources publishes it. The routes want a domain, but no document depends on it. */
export function theDocument(options: Partial<DocumentOptions> = {}) {
  const domain = createDomain({ ...inMemoryStore(), clock: fixedClock(), ids: sequentialIds() });
  return openApiDocument(operations(domain), { authentication: EVERY_WAY, ...options });
}
