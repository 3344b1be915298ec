import type { FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import Negotiator from 'negotiator';
import { setAnswerType } from '../request-state.ts';
import { type BaseUrl, sendProblem } from '../problems/problem.ts';

/** JSON that names its version, in requests and answers alike. */
export const VERSIONED_TYPE = 'application/vnd.orders.v1+json';

/** What successes may be answered as; the first when anything will do. */
export const ANSWER_TYPES = ['application/json', VERSIONED_TYPE];

export function isVersionedType(type: string): boolean {
  return type === VERSIONED_TYPE;
}

/** Clients send one of few `Accept`s, over and over. */
const CHOICES_MAX = 1000;
const choices = new Map<string, string | undefined>();

/** Chooses what a success is answered as (RFC 9110 section 12.5.1). A problem is answered as a problem in any case. */
export function negotiateContent(baseUrl: BaseUrl): preParsingHookHandler {
  return (request: FastifyRequest, reply: FastifyReply, _payload, done) => {
    const { accept } = request.headers;
    const chosen = accept === undefined ? ANSWER_TYPES[0] : choose(accept);
    if (chosen !== undefined) {
      setAnswerType(request, chosen);
      return done();
    }
    const detail = `Accept ${ANSWER_TYPES.join(' or ')}.`;
    void sendProblem(reply, { code: 'not_acceptable', detail }, baseUrl);
  };
}

function choose(accept: string): string | undefined {
  if (choices.has(accept)) return choices.get(accept);
  const chosen = new Negotiator({ headers: { accept } }).mediaType(ANSWER_TYPES);
  if (choices.size >= CHOICES_MAX) choices.clear();
  choices.set(accept, chosen);
  return chosen;
}
