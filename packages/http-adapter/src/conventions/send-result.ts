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
export async function sendResult(
  request: FastifyRequest,
  reply: FastifyReply,
  result: ResultAsync<Answer, Problem>,
  limitMs: number,
  baseUrl: BaseUrl,
): Promise<FastifyReply> {
  const settled = await inTime(result, limitMs);
  return settled.match(
    ({ status, headers, body }) => {
      void reply.code(status).headers({ ...headers, ...links(reply, headers) });
      return body === undefined ? reply.send() : reply.type(request.answerType).send(body);
    },
    (problem) => sendProblem(reply, problem, baseUrl),
  );
}

/** What a header says already, of a deprecation, goes on beside the links of this answer (RFC 8288 section 3). */
function links(reply: FastifyReply, { link }: Answer['headers']): { readonly link?: string } {
  const before = reply.getHeader('link');
  return link === undefined || before === undefined ? {} : { link: `${String(before)}, ${link}` };
}
