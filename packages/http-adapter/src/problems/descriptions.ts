import type { OrderDefinition } from '@orders/domain';
import type { ErrorCode } from './catalog.ts';

/** The explanation of a problem code, shown on its page under `/problems`. */
export interface ErrorDescription {
  /** The cause of the problem. */
  readonly happened: string;
  /** What the client should do. */
  readonly remedy: string;
}

/** Explains rejections by the host application, whose codes are `http_{status}`. */
export const HOST_ERROR_DESCRIPTION: ErrorDescription = {
  happened:
    'The application that hosts this API rejected the request with this status, for a reason specific to that application. The API itself never uses this code.',
  remedy: 'Follow `detail`, if it is present, and the documentation of that application.',
};

/** Explains a code of the catalog for orders of a definition. */
export function describeError(code: ErrorCode, definition: OrderDefinition): ErrorDescription {
  return code === 'order_already_cancelled' ? alreadyCancelled(definition) : ERROR_DESCRIPTIONS[code];
}

function alreadyCancelled({ cancel }: OrderDefinition): ErrorDescription {
  return {
    happened: `The order was already cancelled, at \`${cancel}_at\`. An order can be cancelled only once.`,
    remedy:
      'Usually no action is needed. Send cancellations with an `Idempotency-Key`, so that a retry gets the original response instead of this problem.',
  };
}

/** Explains every code that no definition changes. The type makes a missing code a compile error. */
const ERROR_DESCRIPTIONS: Readonly<Record<Exclude<ErrorCode, 'order_already_cancelled'>, ErrorDescription>> = {
  malformed_request: {
    happened: 'The request is not valid HTTP/1.1, or its URL cannot be parsed.',
    remedy: 'Use an HTTP library, send exactly one `Host` header, and percent-encode the path and query.',
  },
  malformed_json: {
    happened:
      'The body is not valid JSON in UTF-8. `detail` gives the zero-based byte offset of the first invalid byte.',
    remedy: 'Send one JSON value in UTF-8. Serialize it with a JSON library.',
  },
  invalid_parameter: {
    happened: 'A path or query parameter has an invalid value. `errors` lists each one.',
    remedy: 'Correct the parameters listed in `errors`. The OpenAPI document specifies their valid values.',
  },
  unknown_parameter: {
    happened: 'The query has a parameter that this operation does not support. `errors` lists each one.',
    remedy:
      'Remove the parameter, or correct its spelling. Unknown parameters are rejected, so that a misspelled filter is never ignored.',
  },
  conflicting_parameters: {
    happened: 'Two parameters contradict each other, such as `after` and `offset`, or two different API versions.',
    remedy: 'Send only one of them.',
  },
  invalid_cursor: {
    happened: 'The cursor is damaged, or was issued for another list, sort order or filter.',
    remedy:
      'Send `next_cursor` unchanged as `after`, with the same filter and `sort` for every page. Otherwise, start again from the first page.',
  },
  invalid_header: {
    happened: 'A header has an invalid value. `errors` lists each one.',
    remedy:
      'Correct the headers listed in `errors`. Keep the quotes of entity tags, and send exactly one credential header.',
  },
  invalid_idempotency_key: {
    happened: 'The `Idempotency-Key` is empty, too long, or contains characters that are not allowed.',
    remedy:
      'Send 1 to 255 visible ASCII characters, for example a new UUID for each new request and the same UUID for its retries.',
  },
  unauthenticated: {
    happened: 'The request has no credentials, or its credentials are invalid, expired or revoked.',
    remedy:
      'Send valid credentials in the way that `WWW-Authenticate` states. A retry with the same credentials fails again.',
  },
  invalid_token: {
    happened:
      'The bearer token is malformed, expired or not yet valid, has an invalid signature, or was not issued for this API.',
    remedy: 'Get a new token from the authorization server listed in `/.well-known/oauth-protected-resource`.',
  },
  insufficient_scope: {
    happened: 'The credentials are valid but lack the scope that this operation requires.',
    remedy: 'Use credentials with the scope given in `required_scope`.',
  },
  origin_not_allowed: {
    happened:
      'A page of another origin sent this write with credentials that the browser adds automatically, such as a client certificate or a cookie. Nothing was changed.',
    remedy:
      'Send the credentials in a header such as `X-API-Key`, or have the operator add the origin to `CORS_ORIGINS`.',
  },
  not_found: {
    happened: 'No resource exists at this path.',
    remedy: 'Compare the path with the OpenAPI document. Paths are case-sensitive, and a trailing slash matters.',
  },
  order_not_found: {
    happened: 'You have no order with this id. It may have been deleted, or belong to another owner.',
    remedy: 'Check the id and the credentials. A retry of the same request fails again.',
  },
  version_not_found: {
    happened:
      'You have no order with this id and version. The order may be at a lower version or belong to another owner, or the version may have been purged.',
    remedy: 'List the versions of the order. A retry of the same request can succeed only after another change.',
  },
  customer_not_found: {
    happened: 'You have no customer with this id. It may have been deleted, or belong to another owner.',
    remedy: 'Check the id and the credentials. A retry of the same request fails again.',
  },
  webhook_endpoint_not_found: {
    happened: 'You have no webhook endpoint with this id. It may have been deleted, or belong to another owner.',
    remedy: 'Check the id and the credentials. A retry of the same request fails again.',
  },
  delivery_not_found: {
    happened:
      'The webhook endpoint has no delivery of this event: the event is older than the endpoint or not of its types, or it has left the feed.',
    remedy: 'List the deliveries of the endpoint. Read events without a delivery from `GET /v1/events`.',
  },
  method_not_allowed: {
    happened: 'The path exists but does not support this method.',
    remedy: 'Use one of the methods listed in the `Allow` header.',
  },
  not_acceptable: {
    happened: 'The `Accept` header allows none of the media types that are available for this resource.',
    remedy: 'Accept one of the media types listed in `detail`, or omit `Accept`.',
  },
  request_timeout: {
    happened: 'The complete request did not arrive within the time limit. It was not processed.',
    remedy: 'Retry on a new connection. The retry is safe.',
  },
  invalid_status_transition: {
    happened: 'The order cannot change from its current status to the requested one.',
    remedy: 'Choose a status from `available_transitions`.',
  },
  order_not_modifiable: {
    happened: 'The order is cancelled, so its customer and reference can no longer change.',
    remedy: 'Change only `note` and `metadata` of a cancelled order, or place a new order.',
  },
  email_taken: {
    happened:
      'Another of your customers already has this email, ignoring case. `customer_id` identifies that customer.',
    remedy: 'Use that customer, or choose another email.',
  },
  reference_taken: {
    happened:
      'Another of your orders already has this reference. `order_id` identifies that order. Cancelled orders keep their references.',
    remedy: 'Use that order, or choose another reference. Deleting an order frees its reference.',
  },
  customer_has_orders: {
    happened: 'A customer cannot be deleted while orders refer to it.',
    remedy: 'First delete those orders, or change their `customer_id`.',
  },
  too_many_endpoints: {
    happened: 'You already have the maximum number of webhook endpoints.',
    remedy: 'Delete an endpoint that you no longer need, or change its URL.',
  },
  secret_superseded: {
    happened:
      'This is a retry of a request that made a secret, and the secret was replaced since. A replaced secret is never shown again.',
    remedy: 'Rotate the secret of the endpoint with a new `Idempotency-Key`, and use the secret of that response.',
  },
  version_retired: {
    happened: 'This operation was deprecated, and its support period has ended.',
    remedy: 'Use the replacement that is documented at the URL of the `Link` header with `rel="deprecation"`.',
  },
  feed_reset: {
    happened:
      'The feed no longer has the event at this cursor, because the database was restored to an earlier time. Events that you have read may never have happened.',
    remedy:
      'Read the feed with `start=latest`, then all orders and customers, and continue from the cursor of the first step.',
  },
  events_expired: {
    happened:
      'Events after this cursor were purged by age before you read them. `oldest_cursor` is before the oldest one.',
    remedy:
      'Read the feed with `start=latest`, then all orders and customers, and continue from the cursor of the first step. To accept the gap instead, continue from `oldest_cursor`.',
  },
  precondition_failed: {
    happened: 'The current version of the resource does not match `If-Match`, or matches `If-None-Match`.',
    remedy: 'Fetch the resource again, check that the change still applies, and retry with the current `ETag`.',
  },
  payload_too_large: {
    happened: 'The body exceeds the size limit of the server.',
    remedy: 'Send a smaller body. `detail` states the limit.',
  },
  uri_too_long: {
    happened: 'The URL exceeds the length limit of the server.',
    remedy: 'Shorten the query. `detail` states the limit.',
  },
  unsupported_media_type: {
    happened: 'This operation does not support the media type, charset or content coding of the body.',
    remedy:
      'Send `Content-Type: application/json` in UTF-8, without `Content-Encoding`. For PATCH, `Accept-Patch` lists the supported media types.',
  },
  headers_too_large: {
    happened: 'The request line and the headers together exceed the size limit of the server.',
    remedy: 'Send fewer or shorter headers, or a shorter URL.',
  },
  validation_failed: {
    happened: 'The body is valid JSON, but some of its fields are invalid. `errors` lists all of them.',
    remedy: 'Correct the fields listed in `errors`. You can reuse the `Idempotency-Key`, because nothing was stored.',
  },
  currency_mismatch: {
    happened: 'The items of the order have prices in more than one currency.',
    remedy: 'Place one order per currency.',
  },
  amount_out_of_range: {
    happened: 'A total, computed from quantities and prices, exceeds the largest supported amount.',
    remedy: 'Split the order, or correct the quantity or price.',
  },
  idempotency_key_reused: {
    happened: 'The `Idempotency-Key` was already used for a different request.',
    remedy: 'Use a new key for each new request. Reuse a key only to retry the identical request.',
  },
  rate_limited: {
    happened:
      'Too many requests arrived within a minute: from one owner, or from one address without valid credentials or for public resources. After too many invalid credentials from an address, further unknown credentials may be rejected without being checked.',
    remedy:
      'Retry after the number of seconds in `Retry-After`. The `RateLimit` header of each response gives the number of requests left.',
  },
  too_many_waiters: {
    happened: 'The owner already has the maximum number of requests that wait for events.',
    remedy: 'Follow the feed with fewer requests at a time, or send `wait=0`.',
  },
  internal_error: {
    happened: 'The server failed unexpectedly. A write may or may not have been applied.',
    remedy:
      'Retry later. A retry of a write is safe only with the same `Idempotency-Key`. If the problem persists, report the `request_id`.',
  },
  unavailable: {
    happened: 'The server is overloaded, or its database or another dependency is temporarily unavailable.',
    remedy:
      'Retry after the number of seconds in `Retry-After`. A retry of a write is safe only with the same `Idempotency-Key`.',
  },
  timeout: {
    happened: 'Processing exceeded the time limit. A write may have been applied, or may still be applied.',
    remedy:
      'Retry. A retry of a write is safe only with the same `Idempotency-Key`; without one, first check whether the write was applied.',
  },
};
