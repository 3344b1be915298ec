import { STATUS_CODES } from 'node:http';
import {
  ADJUSTMENTS_MAX,
  FULFILLMENTS_MAX,
  type InvalidCode,
  type InvalidField,
  invalidFieldsOf,
  ITEMS_MAX,
  type OrderDefinition,
} from '@orders/domain';
import { WEBHOOK_ENDPOINTS_MAX } from '@orders/domain/webhooks';
import { catalog, type Entry, type MembersOf, SAFE_RETRY } from './entry.ts';

/** The detail of invalid parameters and headers. */
export const INVALID_REQUEST = 'One or more parameters or headers are invalid. See `errors`.';
/** What is wrong with an invalid `Idempotency-Key`. */
export const KEY_RULE = 'must be 1 to 255 visible ASCII characters, bare or in quotes';
/** A cursor of the feed in examples. */
export const EVENT_CURSOR =
  'WzEsImV2ZW50cyIsInBvc2l0aW9uIiwiVDFQTmI1VzNpWWMiLDEsIjgwMDAwMDAwMDAwMDAwZTEiLCJmQ2I4Q0JOZUxVWSJd';

/** Every problem by its code: HTTP status, title, cause, remedy, and what one occurrence has. */
export const PROBLEMS = catalog({
  malformed_request: {
    status: 400,
    title: 'The request is not valid HTTP',
    guide: 'generate-a-client',
    happened: 'The request is not valid HTTP/1.1, or its URL cannot be parsed.',
    remedy: 'Use an HTTP library, send exactly one `Host` header, and percent-encode the path and query.',
    detail: 'The request is not valid HTTP/1.1.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON',
    guide: 'generate-a-client',
    happened:
      'The body is not valid JSON in UTF-8. `detail` gives the zero-based byte offset of the first invalid byte.',
    remedy: 'Send one JSON value in UTF-8. Serialize it with a JSON library.',
    detail: 'The body is not valid JSON in UTF-8: it ends too early, at byte offset 1.',
  },
  invalid_parameter: {
    status: 400,
    title: 'A parameter is invalid',
    guide: 'find-orders',
    happened: 'A path or query parameter has an invalid value. `errors` lists each one.',
    remedy: 'Correct the parameters listed in `errors`. The OpenAPI document specifies their valid values.',
    detail: INVALID_REQUEST,
    errors: invalid('limit', 'must be between 1 and 100', 'out_of_range'),
  },
  unknown_parameter: {
    status: 400,
    title: 'A query parameter is unknown',
    guide: 'find-orders',
    happened: 'The query has a parameter that this operation does not support. `errors` lists each one.',
    remedy:
      'Remove the parameter, or correct its spelling. Unknown parameters are rejected, so that a misspelled filter is never ignored.',
    detail: INVALID_REQUEST,
    errors: invalid('page', 'is not a parameter of this operation', 'unknown_field'),
  },
  conflicting_parameters: {
    status: 400,
    title: 'Parameters conflict with each other',
    guide: 'page-through-everything',
    happened: 'Two parameters contradict each other, such as `after` and `offset`, or two different API versions.',
    remedy: 'Send only one of them.',
    detail: INVALID_REQUEST,
    errors: invalid('offset', 'cannot be combined with after', 'invalid_value'),
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is invalid for this list',
    guide: 'page-through-everything',
    happened: 'The cursor is damaged, or was issued for another list, sort order or filter.',
    remedy:
      'Send `next_cursor` unchanged as `after`, with the same filter and `sort` for every page. Otherwise, start again from the first page.',
    detail: INVALID_REQUEST,
    errors: invalid('after', 'must be a next_cursor of this list and query', 'invalid_value'),
  },
  invalid_header: {
    status: 400,
    title: 'A header is invalid',
    guide: 'avoid-lost-updates',
    happened: 'A header has an invalid value, or is one that the operation does not support. `errors` lists each one.',
    remedy:
      'Correct the headers listed in `errors`. Keep the quotes of entity tags, and send exactly one credential header.',
    detail: INVALID_REQUEST,
    errors: invalid('If-Match', 'must be * or a list of quoted entity tags', 'invalid_format'),
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The idempotency key is invalid',
    guide: 'retry-safely',
    happened: 'The `Idempotency-Key` is empty, too long, or contains characters that are not allowed.',
    remedy:
      'Send 1 to 255 visible ASCII characters, for example a new UUID for each new request and the same UUID for its retries.',
    detail: INVALID_REQUEST,
    errors: invalid('Idempotency-Key', KEY_RULE, 'invalid_format'),
  },
  unauthenticated: {
    status: 401,
    title: 'Valid credentials are required',
    guide: 'issue-credentials',
    happened: 'The request has no credentials, or its credentials are invalid, expired or revoked.',
    remedy:
      'Send valid credentials in the way that `WWW-Authenticate` states. A retry with the same credentials fails again.',
    detail: 'Send an API key in X-API-Key.',
  },
  invalid_token: {
    status: 401,
    title: 'The bearer token is invalid',
    guide: 'issue-credentials',
    happened:
      'The bearer token is malformed, expired or not yet valid, has an invalid signature, or was not issued for this API.',
    remedy: 'Get a new token from the authorization server listed in `/.well-known/oauth-protected-resource`.',
    detail: 'The token must be a signed JWT in compact form.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The credentials lack a required scope',
    guide: 'issue-credentials',
    happened: 'The credentials are valid but lack the scope that this operation requires.',
    remedy: 'Use credentials with the scope given in `required_scope`.',
    detail: 'The credentials lack the required scope orders:read.',
    extra: { required_scope: 'orders:read' },
  },
  owner_suspended: {
    status: 403,
    title: 'The owner is suspended',
    guide: 'issue-credentials',
    happened:
      'Those who operate the server have suspended the owner of the credentials. Nothing was read or changed. Events and webhooks go on.',
    remedy: 'Contact those who operate the server. Retries fail until they end the suspension.',
    detail: 'The owner of these credentials is suspended.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'The origin is not allowed',
    guide: 'issue-credentials',
    happened:
      'A page of another origin sent this write with credentials that the browser adds automatically, such as a client certificate or a cookie. Nothing was changed.',
    remedy:
      'Send the credentials in a header such as `X-API-Key`, or have the operator add the origin to `CORS_ORIGINS`.',
    detail:
      'Pages of this origin cannot use credentials that the browser adds automatically. Send credentials in a header.',
  },
  not_found: {
    status: 404,
    title: 'Resource not found',
    guide: 'generate-a-client',
    happened: 'No resource exists at this path.',
    remedy: 'Compare the path with the OpenAPI document. Paths are case-sensitive, and a trailing slash matters.',
    detail: 'No resource exists at this path.',
  },
  order_not_found: notFound('order'),
  version_not_found: {
    status: 404,
    title: 'Version not found',
    guide: 'read-the-history',
    happened:
      'You have no order with this id and version. The order may be at a lower version or belong to another owner, or the version may have been purged.',
    remedy: 'List the versions of the order. A retry of the same request can succeed only after another change.',
    detail: 'You have no order with this id and version.',
  },
  customer_not_found: notFound('customer'),
  erasure_not_found: notFound('erasure'),
  webhook_endpoint_not_found: notFound('webhook endpoint'),
  fulfillment_not_found: {
    status: 404,
    title: 'Fulfillment not found',
    guide: 'charge-ship-in-parts-refund',
    happened: 'The order has no fulfillment with this id.',
    remedy: 'Read the `fulfillments` of the order. A retry of the same request fails again.',
    detail: 'The order has no fulfillment with this id.',
  },
  delivery_not_found: {
    status: 404,
    title: 'Delivery not found',
    guide: 'receive-webhooks',
    happened:
      'The webhook endpoint has no delivery of this event: the event is older than the endpoint or not of its types, or it has left the feed.',
    remedy: 'List the deliveries of the endpoint. Read events without a delivery from `GET /v1/events`.',
    detail: 'The webhook endpoint has no delivery of this event.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed for this path',
    guide: 'generate-a-client',
    happened: 'The path exists but does not support this method.',
    remedy: 'Use one of the methods listed in the `Allow` header.',
    detail: 'The path supports the methods GET, HEAD, OPTIONS, POST.',
  },
  not_acceptable: {
    status: 406,
    title: 'None of the accepted media types is available',
    guide: 'generate-a-client',
    happened: 'The `Accept` header allows none of the media types that are available for this resource.',
    remedy: 'Accept one of the media types listed in `detail`, or omit `Accept`.',
    detail: 'Accept must allow application/json or application/vnd.orders.v1+json.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    guide: 'retry-safely',
    happened: 'The complete request did not arrive within the time limit. It was not processed.',
    remedy: 'Retry on a new connection. The retry is safe.',
    detail: 'The request did not arrive within the time limit. Retry on a new connection.',
  },
  order_already_cancelled: {
    status: 409,
    title: 'The order is already cancelled',
    guide: 'retry-safely',
    happened: ({ cancel }) =>
      `The order was already cancelled, at \`${cancel}_at\`. An order can be cancelled only once.`,
    remedy:
      'Usually no action is needed. Send cancellations with an `Idempotency-Key`, so that a retry gets the original response instead of this problem.',
    of: ({ current_version, ...time }) => ({
      detail: 'The order is already cancelled. This request changed nothing.',
      extra: { ...time, current_version },
    }),
    example: ({ cancel }) => ({
      ...Object.fromEntries([[`${cancel}_at`, '2026-01-03T08:00:00.000Z']]),
      current_version: 2,
    }),
  },
  invalid_status_transition: {
    status: 409,
    title: 'The order cannot change to this status',
    guide: 'make-it-yours',
    happened: 'The order cannot change from its current status to the requested one.',
    remedy: 'Choose a status from `available_transitions`.',
    of: ({ current_status, requested_status, available_transitions }) => ({
      detail: `${startsWithVowel(current_status) ? 'An' : 'A'} ${current_status} order cannot become ${requested_status}. Allowed: ${available_transitions.join(', ') || 'none'}.`,
      extra: { current_status, available_transitions },
    }),
    example: forbiddenChange,
  },
  order_not_modifiable: {
    status: 409,
    title: 'The cancelled order cannot be modified',
    guide: 'charge-ship-in-parts-refund',
    happened:
      'The order is cancelled, so its customer and reference can no longer change, and no items can be added, fulfilled or cancelled.',
    remedy:
      'Change only `note` and `metadata` of a cancelled order, adjust it, or record returned items. Otherwise place a new order.',
    of: ({ fields }) => ({
      detail: `The order is cancelled, so its ${fields.join(' and ')} can no longer change.`,
    }),
    example: () => ({ fields: ['reference'] }),
  },
  fulfillment_already_cancelled: {
    status: 409,
    title: 'The fulfillment is already cancelled',
    guide: 'charge-ship-in-parts-refund',
    happened: 'The fulfillment was cancelled before. A fulfillment can be cancelled only once.',
    remedy:
      'Usually no action is needed. Send cancellations with an `Idempotency-Key`, so that a retry gets the original response instead of this problem.',
    of: ({ cancelled_at, current_version }) => ({
      detail: 'The fulfillment is already cancelled. This request changed nothing.',
      extra: { cancelled_at, current_version },
    }),
    example: () => ({ cancelled_at: '2026-01-03T08:00:00.000Z', current_version: 3 }),
  },
  quantity_not_available: {
    status: 409,
    title: 'The quantity is not available',
    guide: 'charge-ship-in-parts-refund',
    happened:
      'The command takes more of an item than it can: only what is neither fulfilled nor cancelled can be fulfilled or cancelled, and only what is fulfilled and not returned can be returned, or its fulfillment cancelled. `available` is the rest of the item `item_id`.',
    remedy:
      'Fetch the order again, and take at most what is available. Only what was recorded as fulfilled can be returned: a change of status records no quantities, `POST /v1/orders/{id}/fulfillments` does.',
    of: ({ item_id, available }) => ({
      detail: `The command can take at most ${available} of the item, identified by \`item_id\`.`,
      extra: { item_id, available },
    }),
    example: () => ({ item_id: '019b2a4e-8f00-7000-8000-0000000000a1', available: 0 }),
  },
  nothing_would_remain: {
    status: 409,
    title: 'Nothing of the order would remain',
    guide: 'charge-ship-in-parts-refund',
    happened: 'After the command, every item of the order would be cancelled as a whole.',
    remedy: 'Cancel the order: send the request without `items`.',
    detail: 'Every item would be cancelled as a whole. To cancel the order, send the request without items.',
  },
  adjustment_sign: {
    status: 409,
    title: 'The adjustments of a type would have the wrong sign',
    guide: 'charge-ship-in-parts-refund',
    happened:
      'The adjustments of one type, of one item or of the order, would have a sum with the wrong sign: discounts and refunds are negative, shipping, taxes and fees positive. Taxes that are `included` are summed apart.',
    remedy: 'Reverse at most what was charged or given back before, with the same `type`, `item_id` and `included`.',
    of: ({ adjustment_type, item_id, included }) => ({
      detail: `The ${included ? 'included ' : ''}adjustments of type ${adjustment_type} of ${item_id === null ? 'the order' : `item ${item_id}`} would have a sum with the wrong sign.`,
    }),
    example: () => ({ adjustment_type: 'shipping', item_id: null, included: false }),
  },
  too_many_items: {
    status: 409,
    title: 'No further item is possible',
    guide: 'add-lines',
    happened: 'The order would have more than the maximum number of items. Cancelled ones count.',
    remedy: 'Place a further order.',
    detail: `An order has at most ${ITEMS_MAX} items.`,
  },
  too_many_adjustments: {
    status: 409,
    title: 'No further adjustment is possible',
    guide: 'charge-ship-in-parts-refund',
    happened: 'The order would have more than the maximum number of adjustments. None is ever removed.',
    remedy: 'Combine adjustments. A new order may take further ones.',
    detail: `An order has at most ${ADJUSTMENTS_MAX} adjustments.`,
  },
  too_many_fulfillments: {
    status: 409,
    title: 'No further fulfillment is possible',
    guide: 'charge-ship-in-parts-refund',
    happened: 'The order has the maximum number of fulfillments. Those that were cancelled count.',
    remedy: 'Fulfil more items at once. A new order may take further ones.',
    detail: `An order has at most ${FULFILLMENTS_MAX} fulfillments.`,
  },
  refused: {
    status: 409,
    title: 'The rules of these orders refuse the request',
    guide: 'make-it-yours',
    happened: 'A rule of the orders of this server refuses the request. `detail` is the reason.',
    remedy: 'Follow `detail`. A retry can succeed only after another change of the order.',
    of: ({ message }) => ({ detail: message, extra: { refusal: true } }),
    example: ({ refusals }) => {
      const [[code, message] = ['', '']] = Object.entries(refusals);
      return { code, message };
    },
  },
  email_taken: {
    status: 409,
    title: 'The email is taken',
    guide: 'find-orders',
    happened:
      'Another of your customers already has this email, ignoring case. `customer_id` identifies that customer.',
    remedy: 'Use that customer, or choose another email.',
    of: ({ customer_id }) => ({
      detail: 'Another customer, identified by `customer_id`, already has this email.',
      errors: invalidFieldsOf({ type: 'email_taken', customer_id }),
      extra: { customer_id },
    }),
    example: () => ({ customer_id: '019b2a4e-8f00-7000-8000-0000000000c1' }),
  },
  reference_taken: {
    status: 409,
    title: 'The reference is taken',
    guide: 'find-orders',
    happened:
      'Another of your orders already has this reference. `order_id` identifies that order. Cancelled orders keep their references.',
    remedy: 'Use that order, or choose another reference. Deleting an order frees its reference.',
    of: ({ order_id }) => ({
      detail: 'Another order, identified by `order_id`, already has this reference.',
      errors: invalidFieldsOf({ type: 'reference_taken', order_id }),
      extra: { order_id },
    }),
    example: () => ({ order_id: '019b2a4e-8f00-7000-8000-000000000001' }),
  },
  id_taken: {
    status: 409,
    title: 'The id is taken',
    guide: 'move-to-orders',
    happened: 'You have or had another order with the id of an imported one, or this one with other content.',
    remedy: 'Compare the order with the imported one, and import it with another id if it is not the same.',
    of: ({ id }) => ({
      detail: 'The order identified by `order_id` has other content than the imported one, or was deleted.',
      extra: { order_id: id },
    }),
    example: () => ({ id: '019b2a4e-8f00-7000-8000-000000000001' }),
  },
  customer_has_orders: {
    status: 409,
    title: 'The customer has orders',
    guide: 'erase-a-person',
    happened: 'A customer cannot be deleted while orders refer to it.',
    remedy:
      'First delete those orders, or change their `customer_id`. To remove the data of a person and keep the orders, use `POST /v1/customers/{id}/erasures` instead.',
    detail: 'Orders refer to this customer. First delete them or change their customer_id.',
  },
  customer_erased: {
    status: 409,
    title: 'The customer is erased',
    guide: 'erase-a-person',
    happened:
      'An erased customer does not change, is not deleted, and gets no further order, except by an import one without personal data, or one that was erased since.',
    remedy: 'Create a new customer. The email of an erased one can be used again.',
    detail: 'This customer is erased. Create a new one instead.',
  },
  too_many_endpoints: {
    status: 409,
    title: 'No further webhook endpoint is possible',
    guide: 'receive-webhooks',
    happened: 'You already have the maximum number of webhook endpoints.',
    remedy: 'Delete an endpoint that you no longer need, or change its URL.',
    detail: `You have ${WEBHOOK_ENDPOINTS_MAX} webhook endpoints, the maximum. First delete one.`,
  },
  secret_superseded: {
    status: 409,
    title: 'The secret was replaced',
    guide: 'receive-webhooks',
    happened:
      'This is a retry of a request that made a secret, and the secret was replaced since. A replaced secret is never shown again.',
    remedy: 'Rotate the secret of the endpoint with a new `Idempotency-Key`, and use the secret of that response.',
    detail: 'The secret that this request made was replaced since, and is not shown again.',
  },
  version_retired: {
    status: 410,
    title: 'This version is no longer supported',
    guide: 'upgrade',
    happened: 'This operation was deprecated, and its support period has ended.',
    remedy: 'Use the replacement that is documented at the URL of the `Link` header with `rel="deprecation"`.',
    detail: 'This operation was supported until 2027-01-01. https://example.com describes its replacement.',
  },
  feed_reset: {
    status: 410,
    title: 'The feed was reset',
    guide: 'follow-what-happens',
    happened:
      'The feed no longer has the event at this cursor, because the database was restored to an earlier time. Events that you have read may never have happened.',
    remedy:
      'Read the feed with `start=latest`, then all orders and customers, and continue from the cursor of the first step.',
    detail: 'The feed was restored to an earlier state, which the cursor does not fit. Resynchronize.',
  },
  events_expired: {
    status: 410,
    title: 'Events after the cursor were purged',
    guide: 'follow-what-happens',
    happened:
      'Events after this cursor were purged by age before you read them. `oldest_cursor` is before the oldest one.',
    remedy:
      'Read the feed with `start=latest`, then all orders and customers, and continue from the cursor of the first step. To accept the gap instead, continue from `oldest_cursor`.',
    of: ({ oldest_cursor }) => ({
      detail: 'Events after the cursor were purged. Resynchronize.',
      extra: { oldest_cursor },
    }),
    example: () => ({ oldest_cursor: EVENT_CURSOR }),
  },
  precondition_failed: {
    status: 412,
    title: 'A precondition failed',
    guide: 'avoid-lost-updates',
    happened: 'The current version of the resource does not match `If-Match`, or matches `If-None-Match`.',
    remedy: 'Fetch the resource again, check that the change still applies, and retry with the current `ETag`.',
    of: ({ current_version }) => ({
      detail:
        'The current version does not satisfy If-Match or If-None-Match. The resource may have changed since it was read: fetch it again and retry.',
      extra: { current_version },
    }),
    example: () => ({ current_version: 3 }),
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    guide: 'generate-a-client',
    happened: 'The body exceeds the size limit of the server.',
    remedy: 'Send a smaller body. `detail` states the limit.',
    detail: 'The body must be at most 1048576 bytes.',
  },
  uri_too_long: {
    status: 414,
    title: 'The URL is too long',
    guide: 'find-orders',
    happened: 'The URL exceeds the length limit of the server.',
    remedy: 'Shorten the query. `detail` states the limit.',
    detail: 'The path and query must be at most 8192 bytes.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The media type of the body is not supported',
    guide: 'generate-a-client',
    happened: 'This operation does not support the media type, charset or content coding of the body.',
    remedy:
      'Send `Content-Type: application/json` in UTF-8, without `Content-Encoding`. For PATCH, `Accept-Patch` lists the supported media types.',
    detail: 'Send the body as application/json or application/vnd.orders.v1+json in UTF-8.',
  },
  headers_too_large: {
    status: 431,
    title: 'The request line and headers are too large',
    guide: 'generate-a-client',
    happened: 'The request line and the headers together exceed the size limit of the server.',
    remedy: 'Send fewer or shorter headers, or a shorter URL.',
    detail: 'The request line and headers are too large. Send fewer or shorter headers, or a shorter URL.',
  },
  validation_failed: {
    status: 422,
    title: 'The body is invalid',
    guide: 'generate-a-client',
    happened: 'The body is valid JSON, but some of its fields are invalid. `errors` lists all of them.',
    remedy: 'Correct the fields listed in `errors`. You can reuse the `Idempotency-Key`, because nothing was stored.',
    of: ({ errors }) => ({ detail: 'One or more fields of the body are invalid. See `errors`.', errors }),
    example: () => ({ errors: invalid('items[0].quantity', 'must be between 1 and 1000000', 'out_of_range') }),
  },
  currency_mismatch: {
    status: 422,
    title: 'The amounts have different currencies',
    guide: 'charge-ship-in-parts-refund',
    happened: 'The items and adjustments of the order have amounts in more than one currency.',
    remedy: 'Place one order per currency.',
    of: ({ field, currency }) => ({
      detail: `All amounts must use ${currency}, the currency of the first item.`,
      errors: invalidFieldsOf({ type: 'currency_mismatch', field, currency }),
    }),
    example: () => ({ field: 'items[1].unit_price.currency', currency: 'EUR' }),
  },
  amount_out_of_range: {
    status: 422,
    statusOfChange: 409,
    title: 'An amount is too large',
    guide: 'charge-ship-in-parts-refund',
    happened:
      'A total, computed from quantities, prices and adjustments, exceeds the largest supported amount. The status is 422 when an order is placed, and 409 afterwards.',
    remedy: 'Split the order, or correct the quantity, price or adjustment.',
    of: ({ field }) => ({
      detail: 'A total must be at most 9007199254740991 minor units.',
      errors: invalidFieldsOf({ type: 'amount_out_of_range', field }),
    }),
    example: () => ({ field: 'items[0]' }),
  },
  negative_total: {
    status: 422,
    statusOfChange: 409,
    title: 'The total would be negative',
    guide: 'charge-ship-in-parts-refund',
    happened:
      'The reductions of the order exceed its items and charges. The status is 422 when an order is placed, and 409 afterwards.',
    remedy: 'Reduce or refund at most the current `total`.',
    of: ({ total }) => ({ detail: `The total would be ${total} minor units. It must be at least 0.` }),
    example: () => ({ total: -1 }),
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used for another request',
    guide: 'retry-safely',
    happened: 'The `Idempotency-Key` was already used for a different request.',
    remedy: 'Use a new key for each new request. Reuse a key only to retry the identical request.',
    detail: 'This Idempotency-Key was already used for a different request. Use a new key.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    guide: 'retry-safely',
    happened:
      'Too many requests arrived within a minute: from one owner, or from one address without valid credentials or for public resources. After too many invalid credentials from an address, further unknown credentials may be rejected without being checked.',
    remedy:
      'Retry after the number of seconds in `Retry-After`. The `RateLimit` header of each response gives the number of requests left.',
    detail: 'The limit is 600 requests per minute. Retry in 42 s.',
  },
  too_many_waiters: {
    status: 429,
    title: 'Too many requests wait for events',
    guide: 'follow-what-happens',
    happened: 'The owner already has the maximum number of requests that wait for events.',
    remedy: 'Follow the feed with fewer requests at a time, or send `wait=0`.',
    detail: 'At most 4 of your requests can wait for events at a time.',
  },
  internal_error: {
    status: 500,
    title: 'Internal server error',
    guide: 'troubleshoot',
    happened: 'The server failed unexpectedly. A write may or may not have been applied.',
    remedy:
      'Retry later. A retry of a write is safe only with the same `Idempotency-Key`. If the problem persists, report the `request_id`.',
    of: ({ cause }) => ({ detail: `The error was logged with the request id. ${SAFE_RETRY}`, cause }),
    example: () => ({ cause: undefined }),
  },
  unavailable: {
    status: 503,
    title: 'The service is unavailable',
    guide: 'retry-safely',
    happened: 'The server is overloaded, or its database or another dependency is temporarily unavailable.',
    remedy:
      'Retry after the number of seconds in `Retry-After`. A retry of a write is safe only with the same `Idempotency-Key`.',
    of: ({ cause }) => ({ detail: `A dependency of the server is temporarily unavailable. ${SAFE_RETRY}`, cause }),
    example: () => ({ cause: undefined }),
  },
  timeout: {
    status: 504,
    title: 'The server did not respond in time',
    guide: 'retry-safely',
    happened: 'Processing exceeded the time limit. A write may have been applied, or may still be applied.',
    remedy:
      'Retry. A retry of a write is safe only with the same `Idempotency-Key`; without one, first check whether the write was applied.',
    detail: `The response was not ready within the time limit. ${SAFE_RETRY}`,
  },
});

/** The machine-readable `code` of a problem. Refusals have codes of the definition instead of their own. */
export type ErrorCode = Exclude<keyof typeof PROBLEMS, 'refused'>;

/** The parts of a problem that do not depend on its occurrence. */
export interface ProblemSummary {
  readonly status: number;
  /** The status in responses to requests that change a resource. Default: `status`. */
  readonly statusOfChange?: number;
  readonly title: string;
  readonly guide: string;
  readonly happened: string;
  readonly remedy: string;
}

/** Returns every problem of orders of a definition by its code: those of the catalog, and its refusals. */
export function problemsOf(definition: OrderDefinition): Readonly<Record<string, ProblemSummary>> {
  const { status, guide, happened, remedy } = PROBLEMS.refused;
  return Object.fromEntries<ProblemSummary>([
    ...ERROR_CODES.map((code) => [code, { ...PROBLEMS[code], happened: causeOf(code, definition) }] as const),
    ...Object.entries(definition.refusals).map(
      ([code, sentence]) =>
        [
          code,
          { status, title: refusalTitle(code), guide, happened: `${sentence} ${String(happened)}`, remedy },
        ] as const,
    ),
  ]);
}

/** Returns the title of the refusals with a code: its words. Their details are the sentences of the definition. */
export function refusalTitle(code: string): string {
  return `${code.charAt(0).toUpperCase()}${code.slice(1).replaceAll('_', ' ')}`;
}

/** The spelling of codes. Those of a host application contain a status, such as `http_403`. */
export const CODE = { pattern: '^[a-z]+(_([a-z]+|[0-9]+))*$', maxLength: 64 };

/** Checks whether a definition can have a code: no problem of the API itself has it, nor can that of a host application. */
export function isFree(code: string): boolean {
  const isSpelled = new RegExp(CODE.pattern).test(code) && code.length <= CODE.maxLength;
  return isSpelled && !Object.hasOwn(PROBLEMS, code) && !/^http_\d+$/.test(code);
}

/**
 * Returns the HTTP status of a problem. `isOfChange`: whether the request changes a resource that existed before, so that
 * its state can be the cause.
 */
export function statusOf(code: keyof typeof PROBLEMS, isOfChange: boolean): number {
  const { status, statusOfChange = status } = PROBLEMS[code];
  return isOfChange ? statusOfChange : status;
}

/** Returns every HTTP status that a problem can have: first that of a request that changes no resource. */
export function statusesOf({ status, statusOfChange = status }: ProblemSummary): readonly number[] {
  return [...new Set([status, statusOfChange])];
}

/** Every code of the catalog. */
export const ERROR_CODES: readonly ErrorCode[] = Object.keys(PROBLEMS).filter((code) => isErrorCode(code));

/**
 * Every problem by its code: HTTP status, title, and what the client should do. `statusOfChange` is the status in responses
 * to requests that change a resource, if it differs. Codes never change, so clients can switch on them.
 */
export const ERROR_CATALOG: Readonly<
  Record<ErrorCode, Pick<(typeof PROBLEMS)[ErrorCode], 'status' | 'statusOfChange' | 'title' | 'remedy'>>
> = summaries();

function summaries() {
  const entries = ERROR_CODES.map((code) => {
    const { status, statusOfChange, title, remedy }: Omit<ProblemSummary, 'guide' | 'happened'> = PROBLEMS[code];
    return [code, Object.freeze({ status, ...(statusOfChange && { statusOfChange }), title, remedy })] as const;
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has every code
  return Object.freeze(Object.fromEntries(entries)) as typeof ERROR_CATALOG;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(PROBLEMS, code) && code !== 'refused';
}

/** Returns an occurrence of a problem whose detail is always the same. */
export function occurrenceOf<Code extends ErrorCode>(code: Code): { readonly code: Code; readonly detail: string } {
  const entry: Entry<MembersOf<Code>> = PROBLEMS[code];
  if (entry.of) throw new TypeError(`the detail of ${code} depends on its members`);
  return { code, detail: entry.detail };
}

/** Returns the cause of a problem, for orders of a definition. */
export function causeOf(code: ErrorCode, definition: OrderDefinition): string {
  const { happened } = PROBLEMS[code];
  return typeof happened === 'string' ? happened : happened(definition);
}

/** Explains rejections by the host application, whose codes are `http_{status}`. */
export const HOST_PROBLEM = {
  guide: 'mount-in-fastify',
  happened:
    'The application that hosts this API rejected the request with this status, for a reason specific to that application. The API itself never uses this code.',
  remedy: 'Follow `detail`, if it is present, and the documentation of that application.',
};

/** Returns the title of a rejection by the host application: the reason phrase of its HTTP status. */
export function hostTitle(status: number): string {
  return STATUS_CODES[status] ?? 'Rejected by the host application';
}

function invalid(field: string, message: string, code: InvalidCode): readonly InvalidField[] {
  return [{ field, message, code }];
}

function startsWithVowel(status: string): boolean {
  return ['a', 'e', 'i', 'o', 'u'].includes(status.charAt(0));
}

function notFound(resource: string) {
  return {
    status: 404,
    title: `${resource.charAt(0).toUpperCase()}${resource.slice(1)} not found`,
    guide: 'find-orders',
    happened: `You have no ${resource} with this id. It may have been deleted, or belong to another owner.`,
    remedy: 'Check the id and the credentials. A retry of the same request fails again.',
    detail: `You have no ${resource} with this id.`,
  };
}

/** Returns a change that a definition does not allow, if there is one. */
function forbiddenChange({ lifecycle, initial, statuses }: OrderDefinition) {
  const [current = initial, requested = initial] =
    statuses
      .map((from) => [from, statuses.find((to) => to !== from && !lifecycle[from]?.includes(to))] as const)
      .find(([, to]) => to !== undefined) ?? [];
  return { current_status: current, requested_status: requested, available_transitions: lifecycle[current] ?? [] };
}
