import { STATUS_CODES } from 'node:http';

/**
 * HTTP status and title of every problem, by its code, and the members that it has beside those of every problem. Codes
 * never change, so clients can switch on them.
 */
export const ERROR_CATALOG = frozenEntries({
  malformed_request: { status: 400, title: 'The request is not valid HTTP' },
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_parameter: { status: 400, title: 'A parameter is invalid', members: ['errors'] },
  unknown_parameter: { status: 400, title: 'A query parameter is unknown', members: ['errors'] },
  conflicting_parameters: { status: 400, title: 'Parameters conflict with each other', members: ['errors'] },
  invalid_cursor: { status: 400, title: 'The cursor is invalid for this list', members: ['errors'] },
  invalid_header: { status: 400, title: 'A header is invalid', members: ['errors'] },
  invalid_idempotency_key: { status: 400, title: 'The idempotency key is invalid', members: ['errors'] },
  unauthenticated: { status: 401, title: 'Valid credentials are required' },
  invalid_token: { status: 401, title: 'The bearer token is invalid' },
  insufficient_scope: { status: 403, title: 'The credentials lack a required scope', members: ['required_scope'] },
  origin_not_allowed: { status: 403, title: 'The origin is not allowed' },
  not_found: { status: 404, title: 'Resource not found' },
  order_not_found: { status: 404, title: 'Order not found' },
  version_not_found: { status: 404, title: 'Version not found' },
  customer_not_found: { status: 404, title: 'Customer not found' },
  webhook_endpoint_not_found: { status: 404, title: 'Webhook endpoint not found' },
  delivery_not_found: { status: 404, title: 'Delivery not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed for this path' },
  not_acceptable: { status: 406, title: 'None of the accepted media types is available' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  order_already_cancelled: {
    status: 409,
    title: 'The order is already cancelled',
    members: ['{cancel}_at', 'current_version'],
  },
  invalid_status_transition: {
    status: 409,
    title: 'The order cannot change to this status',
    members: ['current_status', 'available_transitions'],
  },
  order_not_modifiable: { status: 409, title: 'The cancelled order cannot be modified' },
  email_taken: { status: 409, title: 'The email is taken', members: ['errors', 'customer_id'] },
  reference_taken: { status: 409, title: 'The reference is taken', members: ['errors', 'order_id'] },
  customer_has_orders: { status: 409, title: 'The customer has orders' },
  too_many_endpoints: { status: 409, title: 'No further webhook endpoint is possible' },
  secret_superseded: { status: 409, title: 'The secret was replaced' },
  version_retired: { status: 410, title: 'This version is no longer supported' },
  feed_reset: { status: 410, title: 'The feed was reset' },
  events_expired: { status: 410, title: 'Events after the cursor were purged', members: ['oldest_cursor'] },
  precondition_failed: { status: 412, title: 'A precondition failed', members: ['current_version'] },
  payload_too_large: { status: 413, title: 'The body is too large' },
  uri_too_long: { status: 414, title: 'The URL is too long' },
  unsupported_media_type: { status: 415, title: 'The media type of the body is not supported' },
  headers_too_large: { status: 431, title: 'The request line and headers are too large' },
  validation_failed: { status: 422, title: 'The body is invalid', members: ['errors'] },
  currency_mismatch: { status: 422, title: 'The items have different currencies', members: ['errors'] },
  amount_out_of_range: { status: 422, title: 'An amount is too large', members: ['errors'] },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  too_many_waiters: { status: 429, title: 'Too many requests wait for events' },
  internal_error: { status: 500, title: 'Internal server error' },
  unavailable: { status: 503, title: 'The service is unavailable' },
  timeout: { status: 504, title: 'The server did not respond in time' },
} as const satisfies Readonly<Record<string, Entry>>);

interface Entry {
  readonly status: number;
  readonly title: string;
  /** Default: none. */
  readonly members?: readonly ProblemMember[];
}

/** A member that problems with some codes always have. `{cancel}` stands for the cancel status of the definition. */
export type ProblemMember =
  | 'errors'
  | 'current_version'
  | 'current_status'
  | 'available_transitions'
  | '{cancel}_at'
  | 'order_id'
  | 'customer_id'
  | 'oldest_cursor'
  | 'required_scope';

/** The machine-readable `code` of a problem. */
export type ErrorCode = keyof typeof ERROR_CATALOG;

/** Every code that a problem can have: those of the catalog, and `http_{status}` for rejections by the host application. */
export type ProblemCode = ErrorCode | `http_${number}`;

/** Returns the title of a rejection by the host application: the reason phrase of its HTTP status. */
export function hostTitle(status: number): string {
  return STATUS_CODES[status] ?? 'Rejected by the host application';
}

/** Returns the members that a problem has beside those of every problem. */
export function membersOf(code: ErrorCode): readonly ProblemMember[] {
  const { members = [] }: Entry = ERROR_CATALOG[code];
  return members;
}

/** Every code of the catalog. */
export const ERROR_CODES: readonly ErrorCode[] = Object.keys(ERROR_CATALOG).filter((code) => isErrorCode(code));

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CATALOG, code);
}

/** Freezes the catalog and its entries, because every importer shares them with the API. */
function frozenEntries<const T extends Readonly<Record<string, Entry>>>(catalog: T): T {
  for (const entry of Object.values(catalog)) {
    Object.freeze(entry.members);
    Object.freeze(entry);
  }
  return Object.freeze(catalog);
}
