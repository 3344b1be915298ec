import { ERROR_CATALOG, type ErrorCode } from '../problems/catalog.ts';
import type { Operation } from '../api/operation.ts';
import { oneOfToday } from '../api/schemas.ts';
import { componentName } from './components.ts';
import { ANSWER_HEADERS, DEPRECATION_HEADERS, headerRefs, type HeaderName, RATE_LIMIT_HEADERS } from './headers.ts';
import type { OperationContext } from './operation-context.ts';
import { PROBLEM_EXAMPLES } from './problem-examples.ts';
import { CODE, Problem } from './problem-schema.ts';

/** A response as the document has it. */
export interface DocumentedResponse {
  readonly status: number;
  /** Its name among the components; `undefined` where it belongs to one operation alone. */
  readonly name: string | undefined;
  readonly response: Readonly<Record<string, unknown>>;
  /** The same response to HEAD, which has no body. Responses with equal headers are one. */
  readonly head: { readonly name: string; readonly description: string };
}

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

/** Describes the responses of a route's problems, one for each status. */
export function problemResponses(route: Operation, context: OperationContext): readonly DocumentedResponse[] {
  const byStatus = Map.groupBy(problemsOf(route, context), (code) => ERROR_CATALOG[code].status);
  return [...byStatus].map(([status, codes]) => {
    const headers = headersOf(status, route, context);
    return {
      status,
      name: nameOf(status, codes, route),
      response: problemResponse(status, codes, headers, context),
      head: headOf(headers),
    };
  });
}

/** Describes a problem in the response to HEAD by what a client can see of it: the headers beside those of all. */
function headOf(headers: readonly HeaderName[]): DocumentedResponse['head'] {
  const description = 'The problem that GET has, without its body';
  if (headers.includes('WWW-Authenticate')) {
    return { name: 'ChallengeHead', description: `${description}. \`WWW-Authenticate\` says how to authenticate` };
  }
  if (headers.includes('Retry-After')) {
    return { name: 'RetryLaterHead', description: `${description}. \`Retry-After\` says when to try again` };
  }
  return { name: 'ProblemHead', description };
}

/**
 * Names a response for its problem; for its status where several problems have it. Returns `undefined` where some of
 * them are problems of this operation: then the response is, too.
 */
function nameOf(status: number, codes: readonly ErrorCode[], route: Operation): string | undefined {
  const [code, ...others] = codes;
  if (status === 415 && route.method === 'PATCH') return 'UnsupportedPatchMediaType';
  if (code && others.length === 0) return componentName(code);
  if (codes.some((each) => route.problems.includes(each))) return undefined;
  if (status === 400) return `Bad${kindOf(route)}Request`;
  return SHARED_NAMES[status];
}

const SHARED_NAMES: Readonly<Record<number, string>> = {
  401: 'Unauthenticated',
  403: 'Forbidden',
  422: 'UnprocessableContent',
};

/** The kinds of requests that differ in what can be malformed. */
function kindOf({ method, path, query }: Operation): string {
  if (query) return 'List';
  if (method === 'GET') return 'Read';
  if (method === 'DELETE') return 'Delete';
  return path.includes(':id') ? 'Change' : 'Create';
}

function problemResponse(
  status: number,
  codes: readonly ErrorCode[],
  headers: readonly HeaderName[],
  { components, deprecated }: OperationContext,
) {
  return {
    description: codes.map((code) => `${ERROR_CATALOG[code].title} (\`${code}\`)`).join('; '),
    headers: headerRefs(components, [
      ...ANSWER_HEADERS,
      ...RATE_LIMIT_HEADERS,
      ...headers,
      ...(deprecated ? DEPRECATION_HEADERS : []),
    ]),
    content: {
      'application/problem+json': {
        schema: {
          type: 'object',
          allOf: [
            Problem,
            {
              type: 'object',
              properties: {
                status: { type: 'integer', format: 'int32', minimum: status, maximum: status, const: status },
                code: { type: 'string', ...CODE, ...oneOfToday(codes) },
              },
            },
          ],
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, components.refer('examples', code, PROBLEM_EXAMPLES[code])]),
        ),
      },
    },
  };
}

/** The headers that only problems with this status have. */
function headersOf(status: number, { method }: Operation, { authentication }: OperationContext): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status === 403) return authentication.scopeChallenge ? ['WWW-Authenticate'] : [];
  if (status === 415) return method === 'PATCH' ? ['Accept-Patch', 'Accept-Encoding'] : ['Accept-Encoding'];
  return status === 429 || status === 503 ? ['Retry-After'] : [];
}
