import type { InvalidCode } from '@orders/domain';
import { perDefinition } from '../api/definition-schemas.ts';
import { EVENT_CURSOR } from '../api/event-examples.ts';
import { cancelledBefore, forbiddenChange } from '../api/orders/order-examples.ts';
import type { ErrorCode } from '../problems/catalog.ts';
import { toProblem } from '../problems/from-domain.ts';
import { type Problem, SAFE_RETRY } from '../problems/problem.ts';
import { KEY_RULE } from '../request/request-parameters.ts';

const INVALID_REQUEST = 'One or more parameters or headers are invalid. See `errors`.';
/** One occurrence of a problem: its members without those that all problems have alike, or that its code determines. */
export interface Occurrence extends Pick<Problem, 'detail' | 'errors'> {
  /** Further members, such as `current_version`. */
  readonly [member: string]: unknown;
}

/** Returns an example of each problem. The schema of the problem has its members as examples. */
export const problemExamples = perDefinition((definition): Readonly<Record<ErrorCode, Occurrence>> => ({
  malformed_request: { detail: 'The request is not valid HTTP/1.1.' },
  malformed_json: { detail: 'The body is not valid JSON in UTF-8: it ends too early, at byte offset 1.' },
  invalid_parameter: invalid(INVALID_REQUEST, 'limit', 'must be between 1 and 100', 'out_of_range'),
  unknown_parameter: invalid(INVALID_REQUEST, 'page', 'is not a parameter of this operation', 'unknown_field'),
  conflicting_parameters: invalid(INVALID_REQUEST, 'offset', 'cannot be combined with after', 'invalid_value'),
  invalid_cursor: invalid(INVALID_REQUEST, 'after', 'must be a next_cursor of this list and query', 'invalid_value'),
  invalid_header: invalid(INVALID_REQUEST, 'If-Match', 'must be * or a list of quoted entity tags', 'invalid_format'),
  invalid_idempotency_key: invalid(INVALID_REQUEST, 'Idempotency-Key', KEY_RULE, 'invalid_format'),
  unauthenticated: { detail: 'Send an API key in X-API-Key.' },
  invalid_token: { detail: 'The token must be a signed JWT in compact form.' },
  insufficient_scope: {
    detail: 'The credentials lack the required scope orders:read.',
    required_scope: 'orders:read',
  },
  origin_not_allowed: {
    detail:
      'Pages of this origin cannot use credentials that the browser adds automatically. Send credentials in a header.',
  },
  not_found: { detail: 'No resource exists at this path.' },
  order_not_found: { detail: 'You have no order with this id.' },
  version_not_found: { detail: 'You have no order with this id and version.' },
  customer_not_found: { detail: 'You have no customer with this id.' },
  webhook_endpoint_not_found: { detail: 'You have no webhook endpoint with this id.' },
  delivery_not_found: { detail: 'The webhook endpoint has no delivery of this event.' },
  method_not_allowed: { detail: 'The path supports the methods GET, HEAD, OPTIONS, POST.' },
  not_acceptable: { detail: 'Accept must allow application/json or application/vnd.orders.v1+json.' },
  request_timeout: { detail: 'The request did not arrive within the time limit. Retry on a new connection.' },
  order_already_cancelled: occurrenceOf({ type: 'order_already_cancelled', ...cancelledBefore(definition) }),
  invalid_status_transition: occurrenceOf({ type: 'invalid_status_transition', ...forbiddenChange(definition) }),
  order_not_modifiable: { detail: 'The order is cancelled, so its reference can no longer change.' },
  email_taken: {
    ...invalid('Another customer, identified by `customer_id`, already has this email.', 'email', 'is taken', 'taken'),
    customer_id: '019b2a4e-8f00-7000-8000-0000000000c1',
  },
  reference_taken: {
    ...invalid(
      'Another order, identified by `order_id`, already has this reference.',
      'reference',
      'is taken',
      'taken',
    ),
    order_id: '019b2a4e-8f00-7000-8000-000000000001',
  },
  customer_has_orders: { detail: 'Orders refer to this customer. First delete them or change their customer_id.' },
  too_many_endpoints: { detail: 'You have 10 webhook endpoints, the maximum. First delete one.' },
  secret_superseded: { detail: 'The secret that this request made was replaced since, and is not shown again.' },
  version_retired: {
    detail: 'This operation was supported until 2027-01-01. https://example.com describes its replacement.',
  },
  feed_reset: { detail: 'The feed was restored to an earlier state, which the cursor does not fit. Resynchronize.' },
  events_expired: { detail: 'Events after the cursor were purged. Resynchronize.', oldest_cursor: EVENT_CURSOR },
  precondition_failed: {
    detail:
      'The current version does not satisfy If-Match or If-None-Match. The resource may have changed since it was read: fetch it again and retry.',
    current_version: 3,
  },
  payload_too_large: { detail: 'The body must be at most 1048576 bytes.' },
  uri_too_long: { detail: 'The path and query must be at most 8192 bytes.' },
  unsupported_media_type: { detail: 'Send the body as application/json or application/vnd.orders.v1+json in UTF-8.' },
  headers_too_large: {
    detail: 'The request line and headers are too large. Send fewer or shorter headers, or a shorter URL.',
  },
  validation_failed: invalid(
    'One or more fields of the body are invalid. See `errors`.',
    'items[0].quantity',
    'must be between 1 and 1000000',
    'out_of_range',
  ),
  currency_mismatch: invalid(
    'All items must use EUR, the currency of the first item.',
    'items[1].unit_price.currency',
    'must be EUR',
    'invalid_value',
  ),
  amount_out_of_range: invalid(
    'A total must be at most 9007199254740991 minor units.',
    'items[0]',
    'must have a total of at most 9007199254740991',
    'out_of_range',
  ),
  idempotency_key_reused: {
    detail: 'This Idempotency-Key was already used for a different request. Use a new key.',
  },
  rate_limited: { detail: 'The limit is 600 requests per minute. Retry in 42 s.' },
  too_many_waiters: { detail: 'At most 4 of your requests can wait for events at a time.' },
  internal_error: { detail: `The error was logged with the request id. ${SAFE_RETRY}` },
  unavailable: { detail: `A dependency of the server is temporarily unavailable. ${SAFE_RETRY}` },
  timeout: { detail: `The response was not ready within the time limit. ${SAFE_RETRY}` },
}));

/** Returns an example of the problem of a domain error. */
function occurrenceOf(error: Parameters<typeof toProblem>[0]): Occurrence {
  const { detail, extra } = toProblem(error);
  return { detail, ...extra };
}

function invalid(detail: string, field: string, message: string, code: InvalidCode): Occurrence {
  return { detail, errors: [{ field, message, code }] };
}
