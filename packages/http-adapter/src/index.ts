export {
  apiKeyAuthentication,
  type ApiKeyStore,
  type Authenticate,
  hashApiKey,
  newApiKey,
  type Principal,
  type Scope,
  SCOPES,
  type StoredApiKey,
} from './conventions/authentication.ts';
export { isOrigin } from './conventions/cors.ts';
export { ERROR_CATALOG, type ErrorCode } from './conventions/error-catalog.ts';
export {
  BODY_LIMIT_BYTES_DEFAULT,
  ordersHttp,
  type OrdersHttpOptions,
  URL_LIMIT_BYTES_DEFAULT,
} from './http-adapter.ts';
export { type Deprecation, type Deprecations } from './conventions/deprecation.ts';
export type { BaseUrl, Problem } from './conventions/problem-details.ts';
export { ordersServerOptions, type OrdersServerOptions } from './server-options.ts';
