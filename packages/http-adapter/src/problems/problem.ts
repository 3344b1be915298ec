import type { InvalidField } from '@orders/domain';
import type { FastifyReply } from 'fastify';
import { setResponds } from '../request-state.ts';
import { ERROR_CATALOG, type ErrorCode, type ProblemCode } from './catalog.ts';
import { redactError } from '../logging/redacted-error.ts';

/** What went wrong, before it is put into words for one request. */
export interface Problem {
  readonly code: ErrorCode;
  /** An explanation of this occurrence, for people. */
  readonly detail: string;
  /** Every bad field. */
  readonly errors?: readonly InvalidField[];
  /** Further members of the body, such as `current_version`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Further headers of the response, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is behind a problem of ours, for the log alone. */
  readonly cause?: unknown;
}

/**
 * Begins the `type` of every problem, without a slash at its end. Asked for each time: a server may learn its port only
 * when it listens. It never throws.
 */
export type BaseUrl = () => string;

/** Seconds after which to try again when the service is unavailable. */
const RETRY_AFTER = '1';

/** A code as it is spelled in addresses. */
export function problemName(code: ProblemCode): string {
  return code.replaceAll('_', '-');
}

/** The address of the page that explains a code. */
export function problemType(code: ProblemCode, baseUrl: BaseUrl): string {
  return `${baseUrl()}/problems/${problemName(code)}`;
}

/** The body of a problem (RFC 9457 section 3). */
export function problemBody(problem: Problem, requestId: string, baseUrl: BaseUrl): string {
  return render({ ...problem, ...ERROR_CATALOG[problem.code] }, requestId, baseUrl);
}

/** What a problem consists of, whether its code is in the catalogue or not. */
interface Rendered extends Pick<Problem, 'errors' | 'extra'> {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string | undefined;
}

function render({ code, status, title, detail, errors, extra }: Rendered, requestId: string, baseUrl: BaseUrl): string {
  return JSON.stringify({
    type: problemType(code, baseUrl),
    title,
    status,
    detail,
    instance: `urn:orders:request:${requestId}`,
    code,
    request_id: requestId,
    errors,
    ...extra,
  });
}

const HEADERS = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };

/** The headers of a problem beside those of every response. */
export function problemHeaders(problem: Problem): Record<string, string> {
  return {
    ...HEADERS,
    ...(ERROR_CATALOG[problem.code].status === 503 ? { 'retry-after': RETRY_AFTER } : {}),
    ...problem.headers,
  };
}

/** Sends a problem, and logs its cause. */
export function sendProblem(reply: FastifyReply, problem: Problem, baseUrl: BaseUrl): FastifyReply {
  if (problem.cause !== undefined) reply.request.log.error({ err: redactError(problem.cause) }, problem.code);
  const body = problemBody(problem, reply.request.id, baseUrl);
  return sendBody(reply, ERROR_CATALOG[problem.code].status, problemHeaders(problem), body);
}

/** Sends a problem whose code is not in the catalogue. */
export function sendRendered(reply: FastifyReply, problem: Rendered, baseUrl: BaseUrl): FastifyReply {
  return sendBody(reply, problem.status, HEADERS, render(problem, reply.request.id, baseUrl));
}

function sendBody(reply: FastifyReply, status: number, headers: Record<string, string>, body: string): FastifyReply {
  setResponds(reply.request);
  // Else Fastify would add a charset, which this media type does not have.
  void reply.serializer(asItIs);
  return reply.code(status).headers(headers).send(body);
}

function asItIs(text: string): string {
  return text;
}
