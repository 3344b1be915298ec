import { ERROR_CATALOG, type ErrorCode } from '../problems/catalog.ts';
import type { Operation } from '../api/operations.ts';
import { oneOfToday } from '../api/schemas.ts';
import { ANSWER_HEADERS, DEPRECATION_HEADERS, headerRefs, type HeaderName, RATE_LIMIT_HEADERS } from './headers.ts';
import type { OperationContext } from './operation-context.ts';
import { CODE } from './problem-schema.ts';

/** What the document says of answers, by status. */
export type Responses = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What may go wrong with every request. */
const ALWAYS: readonly ErrorCode[] = [
  'malformed_request',
  'unknown_parameter',
  'conflicting_parameters',
  'invalid_header',
  'unauthenticated',
  'rate_limited',
  'insufficient_scope',
  'not_acceptable',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
  'unavailable',
  'timeout',
];

/** Every problem that a route may answer with. */
function problemsOf(route: Operation, { deprecated, authentication }: OperationContext): Set<ErrorCode> {
  const { path, method, query, body, honours, problems } = route;
  const conditional = honours.includes('If-Match');
  return new Set([
    ...ALWAYS,
    ...(path.includes(':') || query ? (['invalid_parameter'] as const) : []),
    ...(query ? (['invalid_cursor'] as const) : []),
    ...(method === 'GET' ? [] : (['origin_not_allowed', 'payload_too_large', 'unsupported_media_type'] as const)),
    ...(body ? (['malformed_json', 'validation_failed'] as const) : []),
    ...(honours.includes('Idempotency-Key') ? (['invalid_idempotency_key', 'idempotency_key_reused'] as const) : []),
    ...('Bearer' in authentication.securitySchemes ? (['invalid_token'] as const) : []),
    ...(conditional ? (['precondition_failed'] as const) : []),
    ...(deprecated ? (['version_retired'] as const) : []),
    ...problems,
  ]);
}

/** The responses of a route's problems, one for each status. */
export function problemResponses(route: Operation, context: OperationContext): Responses {
  const byStatus = Map.groupBy(problemsOf(route, context), (code) => ERROR_CATALOG[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      `${status}`,
      {
        description: codes.map((code) => `${ERROR_CATALOG[code].title} (\`${code}\`)`).join('; '),
        headers: headerRefs([
          ...ANSWER_HEADERS,
          ...RATE_LIMIT_HEADERS,
          ...headersOf(status, route, context),
          ...(context.deprecated ? DEPRECATION_HEADERS : []),
        ]),
        content: {
          'application/problem+json': {
            schema: {
              type: 'object',
              allOf: [
                { $ref: '#/components/schemas/Problem' },
                {
                  type: 'object',
                  properties: {
                    status: { const: status },
                    code: { type: 'string', ...CODE, ...oneOfToday(codes) },
                  },
                },
              ],
            },
            examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
          },
        },
      },
    ]),
  );
}

function headersOf(status: number, { method }: Operation, { authentication }: OperationContext): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status === 403) return authentication.scopeChallenge ? ['WWW-Authenticate'] : [];
  if (status === 415) return method === 'PATCH' ? ['Accept-Patch', 'Accept-Encoding'] : ['Accept-Encoding'];
  return status === 429 || status === 503 ? ['Retry-After'] : [];
}
