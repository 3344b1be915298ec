export { hashApiKey, newApiKey } from './admission/authentication/api-keys.ts';
export {
  CERTIFICATE_IDENTITY_BYTES_MAX,
  certificateIdentityKind,
} from './admission/authentication/certificate-identities.ts';
export { isOrigin } from './admission/common-headers.ts';
export { RATE_LIMITS_DEFAULT } from './admission/rate-limits/rate-limit-options.ts';
export { URL_LIMIT_BYTES_DEFAULT } from './admission/request-line.ts';
export { parseBaseUrl } from './base-url.ts';
export { RESPONSE_READ_TIMEOUT_MS_DEFAULT } from './connection/connection-gate.ts';
export { UNREAD_BYTES_MAX_DEFAULT } from './connection/unread-responses.ts';
export { HIDDEN_CHARACTERS, isLine } from './hidden-characters.ts';
export { IntrusiveSet } from './intrusive-set.ts';
export { type Scope, SCOPES } from './principal.ts';
export {
  idleSince,
  NAME_LENGTH_MAX,
  newSignInToken,
  OPERATOR_ROLES,
  type OperatorRole,
  REASON_LENGTH_MAX,
  signInLink,
} from './operator/operator.ts';
export { findJsonExcess } from './request/json-limits.ts';
