import { VERSION } from '../request/api-version.ts';
import { openEnum } from '../api/schemas.ts';
import type { Components, Reference } from './components.ts';

const REQUEST_ID = '^[A-Za-z0-9._-]{1,128}$';
const MEDIA_TYPES = '^[a-z0-9.+-]+/[a-z0-9.+-]+(, [a-z0-9.+-]+/[a-z0-9.+-]+)*$';
const HTTP_DATE = '^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$';

/** The response headers, as components of the document. A required one is in every response that lists it. */
const HEADERS = {
  'API-Version': {
    description: 'API version of the response',
    required: true,
    schema: { type: 'string', const: VERSION },
  },
  'X-Request-Id': {
    description: 'The id sent by the client if it is valid, otherwise a generated one. Server logs contain it',
    required: true,
    schema: { type: 'string', maxLength: 128, pattern: REQUEST_ID },
  },
  'Cache-Control': {
    description: 'Caching rules (RFC 9111)',
    required: true,
    schema: {
      type: 'string',
      maxLength: 64,
      pattern: '^[a-z0-9=, -]+$',
      ...openEnum(['no-store', 'no-store, no-transform', 'private, no-cache, no-transform']),
    },
  },
  Vary: {
    description: 'Request headers that the response depends on',
    required: true,
    schema: { type: 'string', maxLength: 256, pattern: '^[A-Za-z-]+(, [A-Za-z-]+)*$' },
    example: 'Authorization, X-API-Key, Accept, API-Version',
  },
  'X-Content-Type-Options': {
    description: 'Disables media type sniffing',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
  ETag: {
    description:
      'Entity tag of the current version, for `If-Match` and `If-None-Match` (RFC 9110). Send it back as it arrived: the server also knows the forms that proxies which compress give it',
    required: true,
    schema: { type: 'string', maxLength: 64, pattern: '^"\\d+-\\d+"$' },
    example: '"3-1"',
  },
  Location: {
    description: 'Path of the created resource',
    required: true,
    schema: { type: 'string', format: 'uri-reference', maxLength: 2048 },
    example: '/v1/orders/019b2a4e-8f00-7000-8000-000000000001',
  },
  Link: {
    description:
      'URL of the next page (`rel="next"`, absent on the last page) or of the deprecation notice (`rel="deprecation"`) (RFC 8288)',
    schema: { type: 'string', maxLength: 16_000, pattern: '^<[^>]*>; rel="(next|deprecation)"' },
    example: '</v1/orders?limit=20&after=WzEs>; rel="next"',
  },
  Deprecation: {
    description: 'When the operation was deprecated (RFC 9745)',
    schema: { type: 'string', maxLength: 16, pattern: '^@\\d+$' },
    example: '@1767225600',
  },
  Sunset: {
    description: 'When the operation may be removed, at the earliest (RFC 8594)',
    schema: { type: 'string', maxLength: 29, pattern: HTTP_DATE },
    example: 'Fri, 01 Jan 2027 00:00:00 GMT',
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the recorded response to an earlier request with the same `Idempotency-Key`',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 9110 section 11.6.1)',
    required: true,
    schema: { type: 'string', maxLength: 1024, pattern: '^[A-Za-z]+( .+)?$' },
    example: 'ApiKey realm="orders"',
  },
  'RateLimit-Policy': {
    description: 'Quota (`q`) of requests per window of `w` seconds (draft-ietf-httpapi-ratelimit-headers-10)',
    schema: { type: 'string', maxLength: 64, pattern: '^"[a-z]+";q=\\d+;w=\\d+$' },
    example: '"read";q=600;w=60',
  },
  RateLimit: {
    description: 'Remaining requests (`r`), and seconds until the quota resets (`t`)',
    schema: { type: 'string', maxLength: 64, pattern: '^"[a-z]+";r=\\d+;t=\\d+$' },
    example: '"read";r=599;t=60',
  },
  'Accept-Patch': {
    description: 'Supported media types of PATCH bodies (RFC 5789)',
    required: true,
    schema: { type: 'string', maxLength: 256, pattern: MEDIA_TYPES },
    example: 'application/merge-patch+json, application/json',
  },
  'Accept-Encoding': {
    description: 'Present if the request body was encoded: the supported content coding (RFC 9110 section 12.5.3)',
    schema: { type: 'string', const: 'identity' },
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 },
  },
} as const;

export type HeaderName = keyof typeof HEADERS;

/** The headers of every response, also outside of the operations. The document has them once, because they are many. */
const RESPONSE_HEADERS: readonly HeaderName[] = [
  'API-Version',
  'X-Request-Id',
  'Cache-Control',
  'Vary',
  'X-Content-Type-Options',
];

/** The member of the document with the headers of every response. OpenAPI itself has no place for them. */
export const EVERY_RESPONSE = {
  'x-response-headers': Object.fromEntries(RESPONSE_HEADERS.map((name) => [name, HEADERS[name]])),
};

/** The headers of responses to requests that were counted by a rate limit. Absent if the limit is turned off. */
export const RATE_LIMIT_HEADERS: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit'];

/** The additional headers of responses of a deprecated operation. Absent if the request line was malformed. */
export const DEPRECATION_HEADERS: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

/** Shorter names of the components for headers that most responses refer to. Default: the name of the header. */
const COMPONENT_NAMES: Partial<Record<HeaderName, string>> = {
  'RateLimit-Policy': 'Quota',
  RateLimit: 'Rate',
};

/** Returns references to the named headers. */
export function headerRefs(components: Components, names: readonly HeaderName[]): Readonly<Record<string, Reference>> {
  return Object.fromEntries(
    names.map((name) => [name, components.refer('headers', COMPONENT_NAMES[name] ?? name, HEADERS[name])]),
  );
}
