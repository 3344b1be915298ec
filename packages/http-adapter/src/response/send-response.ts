import type { FastifyReply, FastifyRequest } from 'fastify';
import { err, type Result, type ResultAsync } from 'neverthrow';
import { payerOf, stateOf } from '../request-state.ts';
import { SAFE_RETRY } from '../problems/entry.ts';
import { type BaseUrl, type Problem, publicPath, sendProblem, throwOwnFault } from '../problems/problem.ts';
import { appendLink } from '../connection/response-headers.ts';
import type { UnreadResponses } from '../connection/unread-responses.ts';

/** A successful response before it is sent. */
export interface SuccessResponse {
  readonly status: 200 | 201 | 202 | 204 | 207 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** The path of the created resource in the API, for `Location`. */
  readonly location?: string;
  /** The path and query of the next page in the API, for `Link` (RFC 8288). */
  readonly next?: string | undefined;
  readonly body?: unknown;
}

/** The account of the time that the event loop spends for each payer. */
export interface LoopTime {
  readonly begin: () => number;
  readonly charge: (payer: string, began: number) => void;
  /** Resolves when a request of a payer may be processed; `undefined` for at once. */
  readonly turn: (payer: string) => Promise<void> | undefined;
}

/** Does synchronous work for a payer, and charges its time. */
export function charged<T>({ begin, charge }: LoopTime, payer: string, work: () => T): T {
  const began = begin();
  try {
    return work();
  } finally {
    charge(payer, began);
  }
}

/** Options of {@link respondWith}. */
export interface ResponseOptions {
  readonly limitMs: number;
  readonly unread: UnreadResponses;
  readonly loopTime: LoopTime;
  readonly baseUrl: BaseUrl;
  /** Serializes the body of a success. `undefined` for an operation without one. */
  readonly serialize: ((body: unknown) => string) | undefined;
}

/** Creates a handler that sends the result of `handle`: a success, a problem, or `timeout` if it takes too long. */
export function respondWith(
  handle: (request: FastifyRequest, reply: FastifyReply) => ResultAsync<SuccessResponse, Problem>,
  { limitMs, unread, loopTime, baseUrl, serialize }: ResponseOptions,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const send = (request: FastifyRequest, reply: FastifyReply, result: Result<SuccessResponse, Problem>) => {
    if (result.isErr()) return sendProblem(reply, result.error, baseUrl);
    // Concurrent reads may exceed the limit after their admission. Results of writes are always sent.
    const exceeded = request.method === 'GET' ? unread.exceeded(payerOf(request)) : undefined;
    if (exceeded) return sendProblem(reply, exceeded, baseUrl);
    // That of the reply, because the host app may have set one for all of its routes.
    if (serialize) void reply.serializer(serialize);
    const sent = sendSuccess(request, reply, result.value, baseUrl);
    unread.count(payerOf(request), reply.raw);
    return sent;
  };
  return (request, reply) => {
    stateOf(request).responds = true;
    const payer = payerOf(request);
    // What a port does between them is not charged: its results are bounded.
    const begin = () => charged(loopTime, payer, () => handle(request, reply));
    const turn = loopTime.turn(payer);
    return inTime(() => turn?.then(begin) ?? begin(), limitMs)
      .then((result) => charged(loopTime, payer, () => send(request, reply, result)))
      .catch(throwOwnFault);
  };
}

function sendSuccess(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, location, next, body }: SuccessResponse,
  baseUrl: BaseUrl,
): FastifyReply {
  void reply.code(status).headers(headers);
  if (location !== undefined) void reply.header('location', publicPath(baseUrl, location));
  if (next !== undefined) appendLink(reply, `<${publicPath(baseUrl, next)}>; rel="next"`);
  return body === undefined ? reply.send() : reply.type(`${stateOf(request).responseType}; charset=utf-8`).send(body);
}

/**
 * Returns the result of `begin`, or `timeout` if it takes too long. The work itself continues, so a client finds out whether
 * a write was applied by a retry with the same Idempotency-Key. Fastify's `handlerTimeout` covers only the reading of the
 * body, not the handler.
 */
function inTime<T>(begin: () => PromiseLike<Result<T, Problem>>, limitMs: number): Promise<Result<T, Problem>> {
  return new Promise((resolve, reject) => {
    const work = begin();
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
