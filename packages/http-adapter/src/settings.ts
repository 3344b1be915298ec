export { hashApiKey, newApiKey } from './admission/authentication/api-keys.ts';
export { isOrigin } from './admission/common-headers.ts';
export { RATE_LIMITS_DEFAULT } from './admission/rate-limits/rate-limit-options.ts';
export { URL_LIMIT_BYTES_DEFAULT } from './admission/request-line.ts';
export { parseBaseUrl } from './base-url.ts';
export { RESPONSE_READ_TIMEOUT_MS_DEFAULT } from './connection/connection-gate.ts';
export { UNREAD_BYTES_MAX_DEFAULT } from './connection/unread-responses.ts';
export { Members } from './members.ts';
export { type Scope, SCOPES } from './principal.ts';
