import { ERROR_CATALOG, type ErrorCode } from '../conventions/error-catalog.ts';
import type { Route } from '../routes.ts';
import { ANSWER_HEADERS, headerRefs, type HeaderName } from './headers.ts';

/** What may go wrong with every request. */
const ALWAYS: readonly ErrorCode[] = [
  'malformed_request',
  'unknown_parameter',
  'conflicting_parameters',
  'invalid_header',
  'unauthenticated',
  'insufficient_scope',
  'not_acceptable',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
  'unavailable',
];

/** Every problem that a route may answer with. */
export function problemsOf({ path, method, query, body, honours, problems }: Route): readonly ErrorCode[] {
  const conditional = method !== 'GET' && (honours.includes('If-Match') || honours.includes('If-None-Match'));
  const codes: readonly ErrorCode[] = [
    ...ALWAYS,
    ...(path.includes(':') || query ? (['invalid_parameter'] as const) : []),
    ...(query ? (['invalid_cursor'] as const) : []),
    ...(method === 'GET' ? [] : (['payload_too_large', 'unsupported_media_type'] as const)),
    ...(body ? (['malformed_json', 'validation_failed'] as const) : []),
    ...(honours.includes('Idempotency-Key') ? (['invalid_idempotency_key', 'idempotency_key_reused'] as const) : []),
    ...(conditional ? (['precondition_failed'] as const) : []),
    ...problems,
  ];
  return [...new Set(codes)];
}

/** The responses of a route's problems, one for each status. */
export function problemResponses(route: Route): Readonly<Record<string, unknown>> {
  const byStatus = Map.groupBy(problemsOf(route), (code) => ERROR_CATALOG[code].status);
  const statuses = [...byStatus].toSorted(([left], [right]) => left - right);
  return Object.fromEntries(
    statuses.map(([status, codes]) => [
      `${status}`,
      {
        description: codes.map((code) => `${ERROR_CATALOG[code].title} (\`${code}\`)`).join('; '),
        headers: headerRefs([...ANSWER_HEADERS, ...headersOf(status, route)]),
        content: {
          'application/problem+json': {
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Problem' },
                { type: 'object', properties: { status: { const: status }, code: { enum: codes } } },
              ],
            },
            examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code) }])),
          },
        },
      },
    ]),
  );
}

function headersOf(status: number, { method }: Route): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status === 415 && method === 'PATCH') return ['Accept-Patch'];
  return status === 503 ? ['Retry-After'] : [];
}

const REQUEST_ID = '6f1c7a52-6a1e-4d0c-9f0e-1d2c3b4a5f60';

function problemExample(code: ErrorCode) {
  const { status, title } = ERROR_CATALOG[code];
  return {
    type: `https://api.example.com/problems/${code.replaceAll('_', '-')}`,
    title,
    status,
    detail: 'What went wrong with this request, in a sentence.',
    instance: `urn:orders:request:${REQUEST_ID}`,
    code,
    request_id: REQUEST_ID,
  };
}
