import type { FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import Negotiator from 'negotiator';
import { setResponseType } from '../request-state.ts';
import { type BaseUrl, sendProblem } from '../problems/problem.ts';

/** JSON that names its version, in requests and responses alike. */
export const VERSIONED_TYPE = 'application/vnd.orders.v1+json';

/** The media types of successes; the first is the default. */
export const RESPONSE_TYPES = ['application/json', VERSIONED_TYPE];

export function isVersionedType(type: string): boolean {
  return type === VERSIONED_TYPE;
}

/** Clients send one of few `Accept`s, over and over. */
const CHOICES_MAX = 1000;
const choices = new Map<string, string | undefined>();

/** Chooses the media type of a success (RFC 9110 section 12.5.1). A problem has its own in any case. */
export function negotiateContent(baseUrl: BaseUrl): preParsingHookHandler {
  return (request: FastifyRequest, reply: FastifyReply, _payload, done) => {
    const { accept } = request.headers;
    const chosen = accept === undefined ? RESPONSE_TYPES[0] : choose(accept);
    if (chosen !== undefined) {
      setResponseType(request, chosen);
      return done();
    }
    const detail = `Accept must allow ${RESPONSE_TYPES.join(' or ')}.`;
    void sendProblem(reply, { code: 'not_acceptable', detail }, baseUrl);
  };
}

function choose(accept: string): string | undefined {
  if (choices.has(accept)) return choices.get(accept);
  const chosen = new Negotiator({ headers: { accept } }).mediaType(RESPONSE_TYPES);
  if (choices.size >= CHOICES_MAX) choices.clear();
  choices.set(accept, chosen);
  return chosen;
}
