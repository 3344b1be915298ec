import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../principal.ts';
import { resourceIdOf, stateOf } from '../request-state.ts';
import { PROBLEMS, type ErrorCode, refusalTitle, statusOf } from './catalog.ts';
import type { Occurrence } from './entry.ts';
import { redactError } from '../logging/redacted-error.ts';

/** A problem before it is rendered for one request. */
export interface Problem extends Occurrence {
  readonly code: ErrorCode | 'refused';
  /** The code of a refusal, which its definition has. */
  readonly refusal?: string;
  /** Further headers of the response, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns the URL that the `type` of every problem begins with, without a trailing slash. Called for each problem,
 * because a server may know its port only once it listens. Must not throw.
 */
export type BaseUrl = () => string;

/**
 * Returns what a client uses as the path of the API's `path`, such as `/v1/orders`: below the path of the public URL, which a
 * proxy may remove before it passes requests on. Without scheme and host, so that links work for each name of the server.
 */
export function publicPath(baseUrl: BaseUrl, path: string): string {
  return `${baseUrl().replace(/^[a-z]+:\/\/[^/]*/i, '')}${path}`;
}

/** `Retry-After` of 503, in seconds. */
const RETRY_AFTER = '1';

/** Returns a code as it is spelled in URLs. */
export function problemName(code: string): string {
  return code.replaceAll('_', '-');
}

/** Returns the URL of the page that explains a code. */
export function problemType(code: string, baseUrl: BaseUrl): string {
  return `${baseUrl()}/problems/${problemName(code)}`;
}

/** Returns the body of a problem (RFC 9457 section 3). `isOfChange` selects the status, as in {@link statusOf}. */
export function problemBody(problem: Problem, requestId: string, baseUrl: BaseUrl, isOfChange = false): object {
  const { code, refusal, detail, errors, extra } = problem;
  const title = refusal === undefined ? PROBLEMS[code].title : refusalTitle(refusal);
  const status = statusOf(code, isOfChange);
  return render({ code: refusal ?? code, status, title, detail, errors, extra }, requestId, baseUrl);
}

/** A problem with its status and title, whose code need not be in the catalog. */
interface Rendered {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string | undefined;
  readonly errors?: Problem['errors'] | undefined;
  readonly extra?: Problem['extra'] | undefined;
}

function render({ code, status, title, detail, errors, extra }: Rendered, requestId: string, baseUrl: BaseUrl): object {
  return {
    type: problemType(code, baseUrl),
    title,
    status,
    detail,
    instance: `urn:orders:request:${requestId}`,
    code,
    request_id: requestId,
    errors,
    ...extra,
  };
}

/**
 * Returns the problem of a request whose credentials lack a scope. `scopeChallenge` returns its `WWW-Authenticate`; default:
 * none.
 */
export function insufficientScope(scope: Scope, scopeChallenge: ((scope: Scope) => string) | undefined): Problem {
  const header = scopeChallenge?.(scope);
  return {
    code: 'insufficient_scope',
    detail: `The credentials lack the required scope ${scope}.`,
    extra: { required_scope: scope },
    ...(header !== undefined && { headers: { 'www-authenticate': header } }),
  };
}

const HEADERS = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };

/** Returns the headers of a problem, in addition to those of every response. */
export function problemHeaders(problem: Problem): Record<string, string> {
  return {
    ...HEADERS,
    ...(PROBLEMS[problem.code].status === 503 ? { 'retry-after': RETRY_AFTER } : {}),
    ...problem.headers,
  };
}

/** Logs the cause of a problem, if it has one. */
export function logCause({ log }: FastifyRequest, { cause, code }: Problem): void {
  if (cause !== undefined) log.error({ err: redactError(cause) }, code);
}

/** Sends a problem, and logs its cause. */
export function sendProblem(reply: FastifyReply, problem: Problem, baseUrl: BaseUrl): FastifyReply {
  logCause(reply.request, problem);
  const isOfChange = resourceIdOf(reply.request) !== undefined;
  const body = problemBody(problem, reply.request.id, baseUrl, isOfChange);
  return sendBody(reply, statusOf(problem.code, isOfChange), problemHeaders(problem), body);
}

/** Sends a problem whose code need not be in the catalog. */
export function sendRendered(reply: FastifyReply, problem: Rendered, baseUrl: BaseUrl): FastifyReply {
  return sendBody(reply, problem.status, HEADERS, render(problem, reply.request.id, baseUrl));
}

function sendBody(reply: FastifyReply, status: number, headers: Record<string, string>, body: object): FastifyReply {
  stateOf(reply.request).responds = true;
  // Without a serializer, Fastify would add a charset, which this media type does not have.
  void reply.serializer(unchanged);
  return reply.code(status).headers(headers).send(JSON.stringify(body));
}

function unchanged(text: string): string {
  return text;
}

/**
 * Wraps an error that the API, or code that it calls, has thrown. Even with a `statusCode`, for example of a database
 * client, such an error is a bug or an outage of the server, not a rejection of the request.
 */
export class OwnFault extends Error {
  override readonly name = 'OwnFault';

  constructor(cause: unknown) {
    super('the orders API failed', { cause });
  }
}

/** Throws `cause` as an {@link OwnFault}. */
export function throwOwnFault(cause: unknown): never {
  throw new OwnFault(cause);
}
