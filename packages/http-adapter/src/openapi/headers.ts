import { VERSION } from '../conventions/versioning.ts';

/** The headers of answers, as components of the document. */
export const HEADERS = {
  'API-Version': { description: 'The version that answered', schema: { type: 'string', const: VERSION } },
  'X-Request-Id': {
    description: 'The one that was sent, if it is well formed, else a new one; every log line of the request has it',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'Cache-Control': { description: 'What may be kept (RFC 9111)', schema: { type: 'string' } },
  Vary: { description: 'The headers of the request that the answer depends on', schema: { type: 'string' } },
  'X-Content-Type-Options': { description: 'The media type is the one that is named', schema: { const: 'nosniff' } },
  ETag: {
    description: 'The version of the resource as an entity tag, for If-Match and If-None-Match (RFC 9110)',
    schema: { type: 'string', pattern: '^"\\d+-\\d+"$' },
    example: '"3-1"',
  },
  Location: {
    description: 'The path of the new resource',
    schema: { type: 'string', format: 'uri-reference' },
    example: '/v1/orders/019b2a4e-8f00-7000-8000-000000000001',
  },
  Link: {
    description: 'The next page, with `rel="next"` (RFC 8288); absent on the last one',
    schema: { type: 'string' },
    example: '</v1/orders?limit=20&after=WzEs>; rel="next"',
  },
  'Idempotent-Replayed': {
    description: 'Present when the Idempotency-Key was used before and this is what was answered then',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 9110 section 11.6.1)', schema: { type: 'string' } },
  'Accept-Patch': { description: 'The media types of a patch (RFC 5789)', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds after which to try again', schema: { type: 'string', pattern: '^\\d+$' } },
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

export function headerRefs(names: readonly HeaderName[]): Readonly<Record<string, { readonly $ref: string }>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
