import type { ErrorCode } from './catalog.ts';

/** What a problem means to whoever gets it. */
export interface ErrorDescription {
  /** What happened. */
  readonly happened: string;
  /** What a client should do about it. */
  readonly remedy: string;
}

/** Explains the problems of the host application, whose codes are `http_` and a status. */
export const HOST_ERROR_DESCRIPTION: ErrorDescription = {
  happened:
    'The application that this API is a part of rejected the request with this status, for a reason of its own. The API itself has no problem with such a code.',
  remedy: 'Follow `detail`, if there is one, and the documentation of that application.',
};

/** Explains every problem. The compiler sees to it that none is missing. */
export const ERROR_DESCRIPTIONS: Readonly<Record<ErrorCode, ErrorDescription>> = {
  malformed_request: {
    happened: 'What arrived is not a request that HTTP/1.1 allows, or its URL cannot be read.',
    remedy: 'Use an HTTP library, send one Host header, and percent-encode the path and query.',
  },
  malformed_json: {
    happened:
      'The body was announced as JSON and cannot be read as JSON. `detail` gives the offset, in bytes from zero, of the first byte that no JSON text can have there.',
    remedy: 'Send one JSON value in UTF-8, written by a JSON library.',
  },
  invalid_parameter: {
    happened: 'A parameter of the path or query has a value that it cannot have; `errors` names each one.',
    remedy: 'Correct the parameters that `errors` names. The OpenAPI document says what each may be.',
  },
  unknown_parameter: {
    happened: 'The query has a parameter that this operation does not know; `errors` names it.',
    remedy:
      'Leave it out, or correct its spelling. Nothing is ignored in silence, so that no filter is lost to a typo.',
  },
  conflicting_parameters: {
    happened: 'Parameters contradict each other, such as `after` with `offset`, or two names for the API version.',
    remedy: 'Send only one of them.',
  },
  invalid_cursor: {
    happened: 'The cursor is damaged, or comes from another list, order or filter.',
    remedy: 'Take cursors from `next_cursor` as they are and keep the filter and sort between pages; or start again.',
  },
  invalid_header: {
    happened: 'A header has a value that it cannot have; `errors` names it.',
    remedy:
      'Correct the headers that `errors` names. Entity tags keep their quotes; a credential comes once and alone.',
  },
  invalid_idempotency_key: {
    happened: 'The Idempotency-Key is empty, too long, or has characters that a key cannot have.',
    remedy:
      'Send 1 to 255 visible ASCII characters; a new UUID for each thing that is to happen once is a good choice.',
  },
  unauthenticated: {
    happened: 'The request has no credentials, or credentials that are not valid (any more).',
    remedy: 'Send valid credentials; `WWW-Authenticate` says how. Do not repeat the request with the same ones.',
  },
  invalid_token: {
    happened: 'The bearer token is not one of the issuer’s for this API, was altered, or is not valid yet or any more.',
    remedy: 'Get a new token from the authorization server that `/.well-known/oauth-protected-resource` names.',
  },
  insufficient_scope: {
    happened: 'The credentials are valid but are not good for this operation.',
    remedy: 'Use credentials that have the scope which `required_scope` names.',
  },
  origin_not_allowed: {
    happened:
      'A page of another origin sent this write with credentials that the browser adds by itself, such as a client certificate or a cookie. Nothing was changed.',
    remedy: 'Send credentials in a header, such as `X-API-Key`, or have the operator add the origin to `CORS_ORIGINS`.',
  },
  not_found: {
    happened: 'No resource has this path.',
    remedy:
      'Compare the path with the OpenAPI document: upper and lower case and a slash at the end make a difference.',
  },
  order_not_found: {
    happened: 'There is no order with this id among yours; it may have been deleted.',
    remedy: 'Check the id and with whose credentials you ask. Repeating the request will not help.',
  },
  customer_not_found: {
    happened: 'There is no customer with this id among yours; it may have been deleted.',
    remedy: 'Check the id and with whose credentials you ask. Repeating the request will not help.',
  },
  method_not_allowed: {
    happened: 'The path exists, but not for this method.',
    remedy: 'Use one of the methods that the header `Allow` lists.',
  },
  not_acceptable: {
    happened: 'The answer has no media type that the header Accept allows.',
    remedy: 'Accept one of the media types that `detail` names, or leave Accept out.',
  },
  request_timeout: {
    happened: 'The request did not arrive completely in the time that it may take. Nothing was done.',
    remedy: 'Send the request again, on a new connection.',
  },
  order_already_cancelled: {
    happened: 'The order was cancelled before, at `cancelled_at`. An order is cancelled once.',
    remedy:
      'Usually nothing: the order is cancelled. So that a retry gets the first answer again, send an Idempotency-Key.',
  },
  invalid_status_transition: {
    happened: 'An order in its current status cannot get the requested one.',
    remedy: 'Read the order, and choose from its `available_transitions`.',
  },
  order_not_modifiable: {
    happened: 'The order is cancelled, so its customer and reference can no longer change.',
    remedy: 'Change only `note` and `metadata` of a cancelled order, or place a new order.',
  },
  email_taken: {
    happened: 'Another of your customers has this email; `customer_id` names it. Case makes no difference.',
    remedy: 'Use that customer, or another email.',
  },
  reference_taken: {
    happened: 'Another of your orders has this reference; `order_id` names it. Cancelled orders keep theirs.',
    remedy: 'Use that order, or another reference. Deleting an order frees its reference.',
  },
  customer_has_orders: {
    happened: 'A customer cannot be deleted while orders name it.',
    remedy: 'Delete those orders or take the customer off them first.',
  },
  version_retired: {
    happened: 'This operation was deprecated, and the time for which it was supported is over.',
    remedy: 'Use what replaces it; the header `Link` with `rel="deprecation"` names where that is described.',
  },
  precondition_failed: {
    happened: 'The resource is not at a version that If-Match allows, or is at one that If-None-Match excludes.',
    remedy: 'Read the resource again, decide anew whether to change it, and send its current ETag.',
  },
  payload_too_large: {
    happened: 'The body is longer than this server reads.',
    remedy: 'Send a smaller body.',
  },
  uri_too_long: {
    happened: 'The URL is longer than this server reads.',
    remedy: 'Send a shorter query.',
  },
  unsupported_media_type: {
    happened: 'The body has a media type, or a charset, that this operation does not read.',
    remedy: 'Send `Content-Type: application/json` in UTF-8. For PATCH, `Accept-Patch` lists what is read.',
  },
  headers_too_large: {
    happened: 'The request line and the headers together are longer than this server reads.',
    remedy: 'Send fewer or shorter headers, and a shorter URL.',
  },
  validation_failed: {
    happened: 'The body was understood, and breaks a rule; `errors` names every bad field at once.',
    remedy: 'Correct the fields that `errors` names. The same Idempotency-Key may be used again: nothing was stored.',
  },
  currency_mismatch: {
    happened: 'The items of an order have prices in more than one currency.',
    remedy: 'Place one order for each currency.',
  },
  amount_out_of_range: {
    happened: 'A total, computed from quantities and prices, is larger than can be written exactly.',
    remedy: 'Split the order, or correct the quantity or price.',
  },
  idempotency_key_reused: {
    happened: 'The Idempotency-Key was used before, for a request that asked for something else.',
    remedy: 'Use a new key for every new request, and the same key only to repeat the same one.',
  },
  rate_limited: {
    happened:
      'More requests came in a minute than are accepted: from the owner; or from an address, without valid credentials or for what needs none. After too many invalid credentials, further unknown ones of an address may not be looked up.',
    remedy:
      'Wait for the seconds that `Retry-After` says. `RateLimit` tells with every answer how many requests are left.',
  },
  internal_error: {
    happened: 'The server failed in a way that nobody foresaw.',
    remedy: 'Try again later, with the same Idempotency-Key. If it stays, tell us the `request_id`.',
  },
  unavailable: {
    happened: 'The server cannot do its work for the moment, for want of its database or another server.',
    remedy: 'Try again after the seconds that `Retry-After` says, with the same Idempotency-Key.',
  },
  timeout: {
    happened: 'The work for the request took too long. A change may have been made, or may still be.',
    remedy: 'Repeat a write with the same Idempotency-Key, which tells what became of it; repeat a read.',
  },
};
