import { VERSION } from '../request/api-version.ts';
import { oneOfToday } from '../api/schemas.ts';
import type { Components, Reference } from './components.ts';

const REQUEST_ID = '^[A-Za-z0-9._-]{1,128}$';
const MEDIA_TYPES = '^[a-z0-9.+-]+/[a-z0-9.+-]+(, [a-z0-9.+-]+/[a-z0-9.+-]+)*$';
const HTTP_DATE = '^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$';

/** The headers of answers, as components of the document. Required is what an answer that names it always has. */
const HEADERS = {
  'API-Version': {
    description: 'The version that answered',
    required: true,
    schema: { type: 'string', const: VERSION },
  },
  'X-Request-Id': {
    description: 'The one that was sent, if it is well formed, else a new one; every log line of the request has it',
    required: true,
    schema: { type: 'string', maxLength: 128, pattern: REQUEST_ID },
  },
  'Cache-Control': {
    description: 'What may be kept (RFC 9111)',
    required: true,
    schema: {
      type: 'string',
      maxLength: 64,
      pattern: '^[a-z0-9=, -]+$',
      ...oneOfToday(['no-store', 'private, no-cache']),
    },
  },
  Vary: {
    description: 'The headers of the request that the answer depends on',
    required: true,
    schema: { type: 'string', maxLength: 256, pattern: '^[A-Za-z-]+(, [A-Za-z-]+)*$' },
    example: 'Authorization, X-API-Key, Accept, API-Version',
  },
  'X-Content-Type-Options': {
    description: 'The media type is the one that is named',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
  ETag: {
    description: 'The version of the resource as an entity tag, for If-Match and If-None-Match (RFC 9110)',
    required: true,
    schema: { type: 'string', maxLength: 64, pattern: '^"\\d+-\\d+"$' },
    example: '"3-1"',
  },
  Location: {
    description: 'The path of the new resource',
    required: true,
    schema: { type: 'string', format: 'uri-reference', maxLength: 2048 },
    example: '/v1/orders/019b2a4e-8f00-7000-8000-000000000001',
  },
  Link: {
    description:
      'The next page, with `rel="next"`, absent on the last one; where to read about a deprecation, with `rel="deprecation"` (RFC 8288)',
    schema: { type: 'string', maxLength: 16_000, pattern: '^<[^>]*>; rel="(next|deprecation)"' },
    example: '</v1/orders?limit=20&after=WzEs>; rel="next"',
  },
  Deprecation: {
    description: 'Since when the operation is deprecated (RFC 9745)',
    schema: { type: 'string', maxLength: 16, pattern: '^@\\d+$' },
    example: '@1767225600',
  },
  Sunset: {
    description: 'From when on the operation may be gone (RFC 8594)',
    schema: { type: 'string', maxLength: 29, pattern: HTTP_DATE },
    example: 'Fri, 01 Jan 2027 00:00:00 GMT',
  },
  'Idempotent-Replayed': {
    description: 'Present when the Idempotency-Key was used before and this is what was answered then',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 9110 section 11.6.1)',
    required: true,
    schema: { type: 'string', maxLength: 1024, pattern: '^[A-Za-z]+( .+)?$' },
    example: 'ApiKey realm="orders"',
  },
  'RateLimit-Policy': {
    description: 'How many such requests are answered in how many seconds (draft-ietf-httpapi-ratelimit-headers-10)',
    schema: { type: 'string', maxLength: 64, pattern: '^"[a-z]+";q=\\d+;w=\\d+$' },
    example: '"read";q=600;w=60',
  },
  RateLimit: {
    description: 'How many are left, and in how many seconds there will be all of them again',
    schema: { type: 'string', maxLength: 64, pattern: '^"[a-z]+";r=\\d+;t=\\d+$' },
    example: '"read";r=599;t=60',
  },
  'Accept-Patch': {
    description: 'The media types of a patch (RFC 5789)',
    required: true,
    schema: { type: 'string', maxLength: 256, pattern: MEDIA_TYPES },
    example: 'application/merge-patch+json, application/json',
  },
  'Accept-Encoding': {
    description: 'Present when the body was encoded: what it may be (RFC 9110 section 12.5.3)',
    schema: { type: 'string', const: 'identity' },
  },
  'Retry-After': {
    description: 'Seconds after which to try again',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 },
  },
} as const;

export type HeaderName = keyof typeof HEADERS;

/** The headers of every answer. */
export const ANSWER_HEADERS: readonly HeaderName[] = [
  'API-Version',
  'X-Request-Id',
  'Cache-Control',
  'Vary',
  'X-Content-Type-Options',
];

/** What an answer has beside, once it is known who asks or that nobody is; unless the limit is turned off. */
export const RATE_LIMIT_HEADERS: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit'];

/** What every answer of a deprecated operation has beside, once the request line was understood. */
export const DEPRECATION_HEADERS: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

/** The headers of a response, as references. */
export function headerRefs(components: Components, names: readonly HeaderName[]): Readonly<Record<string, Reference>> {
  return Object.fromEntries(names.map((name) => [name, components.refer('headers', name, HEADERS[name])]));
}
