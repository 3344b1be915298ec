export { apiKeys, type ApiKeyStore, hashApiKey, newApiKey, type StoredApiKey } from './authentication/api-keys.ts';
export { authenticateBy } from './authentication/authenticate-by.ts';
export type { Authenticate, Authentication, Identified, SecurityScheme } from './authentication/authentication.ts';
export type { Authenticator, BadCredentials } from './authentication/authenticator.ts';
export { bearerTokens, type BearerTokenOptions } from './authentication/bearer-tokens.ts';
export { clientCertificates, type ClientCertificateStore } from './authentication/client-certificates.ts';
export { type Principal, type Scope, SCOPES } from './authentication/principal.ts';
export { parseBaseUrl } from './conventions/base-url.ts';
export { RESPONSE_READ_TIMEOUT_MS_DEFAULT } from './conventions/connection-gate.ts';
export { isOrigin } from './conventions/cors.ts';
export type { Deprecation, Deprecations } from './conventions/deprecation.ts';
export { ERROR_CATALOG, type ErrorCode } from './conventions/error-catalog.ts';
export { loggedError, type LoggedError } from './conventions/logged-error.ts';
export type { BaseUrl, Problem } from './conventions/problem-details.ts';
export { UNREAD_BYTES_MAX_DEFAULT } from './conventions/unread-responses.ts';
export {
  BODY_LIMIT_BYTES_DEFAULT,
  ordersHttp,
  type OrdersHttpOptions,
  URL_LIMIT_BYTES_DEFAULT,
} from './http-adapter.ts';
export type { OrdersHttpObserver } from './observer.ts';
export type { Readiness } from './pages/health-pages.ts';
export { PROTECTED_RESOURCE_PATH } from './pages/protected-resource-page.ts';
export type { CredentialLookups, LookupRejected } from './rate-limits/credential-lookups.ts';
export type { Counted, RateLimitStore } from './rate-limits/rate-limit-store.ts';
export {
  RATE_LIMIT_POLICIES,
  RATE_LIMITS_DEFAULT,
  type RateLimitOptions,
  type RateLimitPolicy,
} from './rate-limits/rate-limits.ts';
export { principalOf } from './request-state.ts';
export { ordersServerOptions, type OrdersServerOptions } from './server-options.ts';
