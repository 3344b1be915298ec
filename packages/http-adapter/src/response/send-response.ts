import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResultAsync } from 'neverthrow';
import { responseTypeOf, ownerOf } from '../request-state.ts';
import { type BaseUrl, type Problem, sendProblem } from '../problems/problem.ts';
import { appendLink } from '../admission/common-headers.ts';
import { inTime } from './time-limit.ts';
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
