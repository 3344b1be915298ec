import type { FastifyReply, FastifyRequest } from 'fastify';
import { err, type Result, type ResultAsync } from 'neverthrow';
import { responseTypeOf, ownerOf } from '../request-state.ts';
import { type BaseUrl, type Problem, SAFE_RETRY, sendProblem } from '../problems/problem.ts';
import { appendLink } from '../connection/response-headers.ts';
import type { UnreadResponses } from '../connection/unread-responses.ts';

/** A success that is not sent yet. */
export interface SuccessResponse {
  readonly status: 200 | 201 | 204 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends the result of a handler: a success, a problem, or `timeout` when the result takes too long. */
export function sendResult(
  request: FastifyRequest,
  reply: FastifyReply,
  result: ResultAsync<SuccessResponse, Problem>,
  limitMs: number,
  unread: UnreadResponses,
  baseUrl: BaseUrl,
): Promise<FastifyReply> {
  return inTime(result, limitMs).then((settled) => {
    if (settled.isErr()) return sendProblem(reply, settled.error, baseUrl);
    // Many reads may have been under way when the first of their responses was not read. Writes are reported always.
    const exceeded = request.method === 'GET' ? unread.exceeded(ownerOf(request)) : undefined;
    if (exceeded) return sendProblem(reply, exceeded, baseUrl);
    const sent = sendSuccess(request, reply, settled.value);
    unread.count(ownerOf(request), reply.raw);
    return sent;
  });
}

function sendSuccess(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body }: SuccessResponse,
): FastifyReply {
  const { link, ...others } = headers;
  void reply.code(status).headers(others);
  if (link !== undefined) appendLink(reply, link);
  return body === undefined ? reply.send() : reply.type(responseTypeOf(request)).send(body);
}

/**
 * What `work` comes to, unless that takes too long. The work itself goes on: whether a change was made, its client
 * finds out by repeating the request with the same Idempotency-Key. (Fastify's `handlerTimeout` ends with the body of a
 * request, before its handler.)
 */
function inTime<T>(work: PromiseLike<Result<T, Problem>>, limitMs: number): Promise<Result<T, Problem>> {
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      resolve(err({ code: 'timeout', detail: `The response was not ready within the time limit. ${SAFE_RETRY}` }));
    const timer = setTimeout(giveUp, limitMs);
    work.then(
      (settled) => {
        clearTimeout(timer);
        resolve(settled);
      },
      (cause: Error) => {
        clearTimeout(timer);
        reject(cause);
      },
    );
  });
}
