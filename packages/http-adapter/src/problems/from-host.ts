import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { redactError } from '../logging/redacted-error.ts';
import { stateOf } from '../request-state.ts';
import { PROBLEMS, hostTitle } from './catalog.ts';
import { frameworkProblem, isFrameworkError } from './from-framework.ts';
import { type BaseUrl, OwnFault, sendProblem, sendRendered } from './problem.ts';

/** A rejection of a request by an error that a hook of the host application has thrown. */
export interface HostRejection {
  readonly status: number;
  /** The message of the error, if its `expose` is true, as in http-errors. */
  readonly detail: string | undefined;
  readonly headers: Record<string, string | string[]>;
}

/** The maximum length of a detail, in UTF-16 code units. */
const DETAIL_MAX = 4096;
/** Headers that describe the body. The body is a problem, so those of the host are dropped. */
const OF_THE_BODY = new Set(['content-type', 'content-length', 'content-encoding', 'transfer-encoding']);

/**
 * Interprets an error as a rejection by the host. Its status must be from 400 to 499: the `statusCode` or `status` of the
 * error, or else that of the reply before the API responds. Returns `undefined` for any other error, which is a failure of
 * the server.
 */
export function hostRejection(error: unknown, request: FastifyRequest, reply: FastifyReply): HostRejection | undefined {
  const { readsBody, responds } = stateOf(request);
  if (error instanceof OwnFault || (readsBody && isFrameworkError(error))) return undefined;
  const sent = membersOf(error);
  const own = sent['statusCode'] ?? sent['status'];
  const status = own ?? (responds ? undefined : reply.statusCode);
  if (!isRejection(status)) return undefined;
  const { message, expose } = { message: sent['message'], expose: sent['expose'] };
  const detail = expose === true && typeof message === 'string' && message !== '' ? plainText(message) : undefined;
  return { status, detail, headers: headersOf(membersOf(sent['headers'])) };
}

/** Sends every error as problem details: a rejection by the host, or one of the API, of which failures are logged. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: BaseUrl,
): FastifyReply {
  const rejection = hostRejection(error, request, reply);
  if (rejection) return sendHostRejection(reply, rejection, baseUrl);
  const problem = frameworkProblem(error, request);
  if (problem.code === 'internal_error') {
    const cause = error instanceof OwnFault ? error.cause : error;
    request.log.error({ err: redactError(cause) }, 'the request failed');
  }
  return sendProblem(reply, problem, baseUrl);
}

/** Sends a rejection by the host as problem details. Keeps the headers that the host has set. */
function sendHostRejection(reply: FastifyReply, rejection: HostRejection, baseUrl: BaseUrl): FastifyReply {
  const { status, detail, headers } = rejection;
  void reply.headers(headers);
  const problem =
    status === 429
      ? ({ code: 'rate_limited', status, title: PROBLEMS.rate_limited.title } as const)
      : ({ code: `http_${status}`, status, title: hostTitle(status) } as const);
  return sendRendered(reply, { ...problem, detail }, baseUrl);
}

function isRejection(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 499;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns the headers of an error that can be sent. */
function headersOf(sent: Readonly<Record<string, unknown>>): Record<string, string | string[]> {
  const entries = Object.entries(sent).flatMap(([name, value]): [string, string | string[]][] => {
    const values = [value].flat().map(String);
    if (OF_THE_BODY.has(name.toLowerCase()) || !values.every((each) => isHeader(name, each))) return [];
    const [only = '', ...others] = values;
    return [[name, others.length === 0 ? only : values]];
  });
  return Object.fromEntries(entries);
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false; // Sending it would fail, and the whole response with it.
  }
}

/** Replaces U+0000 and lone surrogates, which some JSON parsers reject, and truncates the text. */
function plainText(message: string): string {
  return message.slice(0, DETAIL_MAX).toWellFormed().replaceAll('\0', '\u{fffd}');
}
