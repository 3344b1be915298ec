import { STATUS_CODES } from 'node:http';
import type { OrderDefinition } from '@orders/domain';
import { type ErrorCode, problemsOf, statusesOf } from '../problems/catalog.ts';
import type { Operation } from '../api/operation.ts';
import { componentName } from '../api/schemas.ts';
import type { OperationContext } from './components.ts';
import { DEPRECATION_HEADERS, headerRefs, type HeaderName, RATE_LIMIT_HEADERS } from './headers.ts';
import { problemSchemas } from '../api/problem-schemas.ts';
import { resourceOf } from './resources.ts';

/** One response of an operation in the document. */
export interface DocumentedResponse {
  readonly status: number;
  /** The name of its component; `undefined` for a success with a body, which belongs to one operation only. */
  readonly name: string | undefined;
  readonly response: Readonly<Record<string, unknown>>;
}

/** The problems that every operation can return. */
const ALWAYS: readonly ErrorCode[] = [
  'malformed_request',
  'unknown_parameter',
  'conflicting_parameters',
  'invalid_header',
  'unauthenticated',
  'rate_limited',
  'insufficient_scope',
  'owner_suspended',
  'not_acceptable',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
  'unavailable',
  'timeout',
];

/** Returns the code of every problem that a route can return. */
function codesOf(route: Operation, { deprecated, authentication, definition }: OperationContext): Set<string> {
  const { path, method, query, body, supports = [] } = route;
  const conditional = supports.includes('If-Match');
  return new Set([
    ...ALWAYS,
    ...(path.includes(':') || query ? (['invalid_parameter'] as const) : []),
    ...(query ? (['invalid_cursor'] as const) : []),
    ...(method === 'GET' ? [] : (['origin_not_allowed', 'payload_too_large', 'unsupported_media_type'] as const)),
    ...(body ? (['malformed_json', 'validation_failed'] as const) : []),
    ...(supports.includes('Idempotency-Key') ? (['invalid_idempotency_key', 'idempotency_key_reused'] as const) : []),
    ...('Bearer' in authentication.securitySchemes ? (['invalid_token'] as const) : []),
    ...(conditional ? (['precondition_failed'] as const) : []),
    ...(deprecated ? (['version_retired'] as const) : []),
    ...ownProblems(route, definition),
  ]);
}

/** Returns the problems that are specific to a route, that of its resource and the refusals of writes among them. */
function ownProblems(
  { path, scope, status, problems = [] }: Operation,
  { refusals }: OrderDefinition,
): readonly string[] {
  if (path.includes(':version')) return ['version_not_found', ...problems];
  const { notFound } = resourceOf(path);
  const own = path.includes(':id') && notFound ? [notFound, ...problems] : problems;
  // Those of several orders are within the response.
  return scope === 'orders:write' && status !== 207 ? [...own, ...Object.keys(refusals)] : own;
}

/** Describes the responses of a route's problems, one for each status. */
export function problemResponses(route: Operation, context: OperationContext): readonly DocumentedResponse[] {
  const all = problemsOf(context.definition);
  const byStatus = Map.groupBy(codesOf(route, context), (code) => {
    const statuses = all[code] ? statusesOf(all[code]) : [];
    return statuses.at(route.path.includes(':id') ? -1 : 0) ?? 500;
  });
  return [...byStatus].map(([status, codes]) => {
    const headers = headersOf(status, route, context);
    return {
      status,
      name: nameOf(status, codes, route, context.definition),
      response: problemResponse(status, codes, headers, context),
    };
  });
}

/**
 * Returns the name of a response: that of its problem, or of its status if several problems share it. It begins with the
 * operation if one of several problems is specific to it, because then the response is, too.
 */
function nameOf(status: number, codes: readonly string[], route: Operation, definition: OrderDefinition): string {
  const [code, ...others] = codes;
  if (status === 415 && route.method === 'PATCH') return 'UnsupportedPatchMediaType';
  if (code && others.length === 0) return componentName(code);
  // Only writes are refused because of their origin.
  const ofReads = status === 403 && !codes.includes('origin_not_allowed') ? 'ForbiddenRead' : undefined;
  const shared = status === 400 ? `Bad${kindOf(route)}Request` : (ofReads ?? SHARED_NAMES[status]);
  if (shared === undefined) throw new Error(`responses with several problems of the status ${status} have no name yet`);
  return codes.some((each) => ownProblems(route, definition).includes(each))
    ? `${componentName(route.id)}${shared}`
    : shared;
}

const SHARED_NAMES: Readonly<Record<number, string>> = {
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
};

/** Returns the kind of request, which determines the problems of status 400. */
function kindOf({ method, path, query, body, supports = [] }: Operation): string {
  if (query) return 'List';
  const read = path.includes(':') ? 'Read' : 'Plain';
  if (method === 'GET') return read;
  if (method === 'DELETE') return supports.length > 0 ? 'Delete' : read;
  const hasKey = supports.includes('Idempotency-Key');
  if (hasKey && !body) return 'Command';
  // A request that changes no resource has no key. Without a body it has the problems of a read.
  if (!hasKey && body) return path.includes(':id') ? 'Action' : 'Search';
  if (!hasKey) return read;
  return path.includes(':id') ? 'Change' : 'Create';
}

function problemResponse(
  status: number,
  codes: readonly string[],
  headers: readonly HeaderName[],
  { components, deprecated, definition }: OperationContext,
) {
  const schemas = problemSchemas(definition);
  const [schema, ...others] = codes.map((code) => schemas[`${status} ${code}`]);
  return {
    description: describe(status, codes, definition),
    headers: headerRefs(components, [...RATE_LIMIT_HEADERS, ...headers, ...(deprecated ? DEPRECATION_HEADERS : [])]),
    content: {
      'application/problem+json': {
        schema: others.length === 0 ? schema : { oneOf: [schema, ...others] },
      },
    },
  };
}

/** Describes one problem by its title. The schemas have the codes and titles of several problems. */
function describe(status: number, [only = '', ...others]: readonly string[], definition: OrderDefinition): string {
  const title = others.length === 0 ? problemsOf(definition)[only]?.title : undefined;
  return title ?? `${STATUS_CODES[status]}`;
}

/** Returns the headers that are specific to problems of this status. */
function headersOf(status: number, { method }: Operation, { authentication }: OperationContext): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status === 403) return authentication.scopeChallenge ? ['WWW-Authenticate'] : [];
  if (status === 415) return method === 'PATCH' ? ['Accept-Patch', 'Accept-Encoding'] : ['Accept-Encoding'];
  return status === 429 || status === 503 ? ['Retry-After'] : [];
}
