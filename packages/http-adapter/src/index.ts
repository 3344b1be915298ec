export {
  apiKeys,
  type ApiKeyStore,
  hashApiKey,
  newApiKey,
  type StoredApiKey,
} from './admission/authentication/api-keys.ts';
export { authenticateBy } from './admission/authentication/authenticate-by.ts';
export type {
  Authenticate,
  Authentication,
  Identified,
  SecurityScheme,
} from './admission/authentication/authentication.ts';
export type { Authenticator, BadCredentials } from './admission/authentication/authenticator.ts';
export { bearerTokens, type BearerTokenOptions } from './admission/authentication/bearer-tokens.ts';
export { clientCertificates, type ClientCertificateStore } from './admission/authentication/client-certificates.ts';
export { type Principal, type Scope, SCOPES } from './principal.ts';
export {
  type AuditedWrite,
  OPERATOR_ROLES,
  type OperatorAudit,
  type OperatorRole,
  type OperatorSession,
  type OperatorStore,
  type OwnerSettingsStore,
} from './operator/operator.ts';
export type { ConsoleFiles } from './operator/console.ts';
export { currentEntry } from './operator/acting-for-owner.ts';
export { operatorHttp, type OperatorHttpOptions } from './operator/operator-plugin.ts';
export type { WebhooksOfOwners } from './operator/operations/webhooks.ts';
export { parseBaseUrl } from './base-url.ts';
export { type ConnectionOptions, RESPONSE_READ_TIMEOUT_MS_DEFAULT } from './connection/connection-gate.ts';
export { isOrigin } from './admission/common-headers.ts';
export type { Deprecation, Deprecations } from './admission/deprecation.ts';
export { ERROR_CATALOG, type ErrorCode } from './problems/catalog.ts';
export type { Occurrence } from './problems/entry.ts';
export { redactError, type RedactedError } from './logging/redacted-error.ts';
export type { BaseUrl, Problem } from './problems/problem.ts';
export { UNREAD_BYTES_MAX_DEFAULT } from './connection/unread-responses.ts';
export { ordersHttp } from './plugin.ts';
export type { OrdersHttpOptions } from './plugin-options.ts';
export { URL_LIMIT_BYTES_DEFAULT } from './admission/request-line.ts';
export {
  type ConnectionObserver,
  type OrdersHttpObserver,
  RATE_LIMIT_POLICIES,
  type RateLimitPolicy,
} from './observer.ts';
export type { Readiness } from './public/health-checks.ts';
export { PROTECTED_RESOURCE_PATH } from './public/protected-resource-metadata.ts';
export type { CredentialLookups, LookupRejected } from './admission/rate-limits/credential-lookups.ts';
export {
  type Charge,
  type Counted,
  RATE_LIMITS_DEFAULT,
  type RateLimitOptions,
  type RateLimitStore,
} from './admission/rate-limits/rate-limit-options.ts';
export { type OwnerLoad, type OwnerLoadRecorder, ownerLoads, type OwnerLoads } from './admission/owner-loads.ts';
export type { OwnerRateLimits, OwnerSettings, SettingsOfOwners } from './admission/owner-settings.ts';
export type { SystemReport } from './operator/operations/system.ts';
export { principalOf } from './request-state.ts';
export {
  ordersServerFactory,
  type OrdersServerFactory,
  ordersServerOptions,
  type OrdersServerOptions,
} from './fastify-options.ts';
