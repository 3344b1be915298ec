import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResultAsync } from 'neverthrow';
import { type BaseUrl, type Problem, sendProblem } from './problem-details.ts';
import { inTime } from './time-limit.ts';

/** A success, before it is sent. */
export interface Answer {
  readonly status: 200 | 201 | 204 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends what a handler made of a request, whichever it is, or that it takes too long. */
export function sendResult(
  request: FastifyRequest,
  reply: FastifyReply,
  result: ResultAsync<Answer, Problem>,
  limitMs: number,
  baseUrl: BaseUrl,
): Promise<FastifyReply> {
  return inTime(result, limitMs).then((settled) =>
    settled.isOk() ? sendAnswer(request, reply, settled.value) : sendProblem(reply, settled.error, baseUrl),
  );
}

function sendAnswer(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  const { link } = headers;
  const announced = link === undefined ? undefined : reply.getHeader('link');
  void reply.code(status).headers(headers);
  // What a header says already, of a deprecation, goes on beside the links of this answer (RFC 8288 section 3).
  if (announced !== undefined) void reply.header('link', `${String(announced)}, ${link}`);
  return body === undefined ? reply.send() : reply.type(request.answerType).send(body);
}
