import { Readable } from 'node:stream';
import type {
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preParsingHookHandler,
  RequestPayload,
} from 'fastify';
import Negotiator from 'negotiator';
import { stateOf } from '../request-state.ts';
import { type BaseUrl, type Problem, sendProblem } from '../problems/problem.ts';
import { sendsBody, sentValues } from '../connection/request-head.ts';

/** The media type of JSON with a version, for requests and responses. */
const VERSIONED_TYPE = 'application/vnd.orders.v1+json';

/** The media types of successful responses. The first is the default. */
export const RESPONSE_TYPES = ['application/json', VERSIONED_TYPE];

export function isVersionedType(type: string): boolean {
  return type === VERSIONED_TYPE;
}

const PROBLEM = 'application/problem+json';

/** The media types of bodies. The first is recommended. */
export const JSON_TYPES = ['application/json', VERSIONED_TYPE];
/** The media types of a merge patch (RFC 7396). */
export const PATCH_TYPES = ['application/merge-patch+json', ...JSON_TYPES];

/**
 * Rejects a body with a media type that is not in `types`, with a charset other than UTF-8, or with a content coding, before
 * it is read. Also rejects the media type of an empty body, because forms of other sites can send it without CORS, unlike
 * JSON. Only beside credentials that no form can send it means nothing: HTTP clients add one to every POST.
 */
export function acceptBodies(types: readonly string[], baseUrl: BaseUrl): onRequestHookHandler {
  return (request, reply, done) => {
    const isTyped = request.headers['content-type'] !== undefined;
    const hasBody = sendsBody(request.raw);
    if (isTyped && !hasBody && hasHeaderCredentials(request)) {
      // The framework would look for a parser of this type.
      delete request.headers['content-type'];
      return done();
    }
    const problem =
      (isTyped || hasBody ? checkType(request, types) : undefined) ??
      (hasBody ? checkCoding(request, types) : undefined);
    if (!problem) return done();
    void sendProblem(reply, problem, baseUrl);
  };
}

/** Whether a request has credentials that a page of another site cannot send without CORS. */
function hasHeaderCredentials({ headers }: FastifyRequest): boolean {
  return headers['x-api-key'] !== undefined || /^bearer /i.test(headers.authorization ?? '');
}

/** Rejects a chunked body without a media type, unless it is empty. That is known only when its first bytes arrive. */
export function rejectUntypedBody(types: readonly string[], baseUrl: BaseUrl): preParsingHookHandler {
  return (request: FastifyRequest, reply: FastifyReply, payload, done) => {
    if (!isUntyped(request)) return done();
    whenBegun(payload, (isEmpty) => {
      if (isEmpty) done(null, Readable.from([]));
      else if (!stateOf(request).responds) void sendProblem(reply, unsupported(request, types), baseUrl);
    });
  };
}

function isChunked({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined;
}

function isUntyped(request: FastifyRequest): boolean {
  return isChunked(request) && request.headers['content-type'] === undefined;
}

function checkType(request: FastifyRequest, types: readonly string[]): Problem | undefined {
  const [type, ...others] = sentValues(request.raw, 'content-type');
  if (isUntyped(request) || (others.length === 0 && isAccepted(type, types))) return undefined;
  return unsupported(request, types);
}

function unsupported(request: FastifyRequest, types: readonly string[]): Problem {
  const detail = `Send the body as ${types.join(' or ')} in UTF-8.`;
  return { code: 'unsupported_media_type', detail, headers: acceptPatch(request, types) };
}

/** Returns the `Accept-Patch` of a rejected PATCH (RFC 5789 section 2.2). */
function acceptPatch({ method }: FastifyRequest, types: readonly string[]): Record<string, string> {
  return method === 'PATCH' ? { 'accept-patch': types.join(', ') } : {};
}

/** Rejects a content coding. The response states that none is supported (RFC 9110 sections 12.5.3 and 15.5.16). */
function checkCoding(request: FastifyRequest, types: readonly string[]): Problem | undefined {
  const coding = request.headers['content-encoding'];
  if (coding === undefined || coding.toLowerCase() === 'identity') return undefined;
  const detail = 'Send the body without a Content-Encoding.';
  return {
    code: 'unsupported_media_type',
    detail,
    headers: { 'accept-encoding': 'identity', ...acceptPatch(request, types) },
  };
}

function isAccepted(header: string | undefined, types: readonly string[]): boolean {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';');
  if (!types.includes(type.trim())) return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-8"?$/.test(charset);
}

/** Waits for the first bytes, which are discarded, or for the end. Never calls back if the client disconnects before. */
function whenBegun(payload: RequestPayload, then: (isEmpty: boolean) => void): void {
  const onData = () => finish(false);
  const onEnd = () => finish(true);
  const finish = (isEmpty: boolean) => {
    payload.off('data', onData).off('end', onEnd);
    then(isEmpty);
  };
  payload.on('data', onData).on('end', onEnd);
}

/** Maximum size of the cache. Clients send few different values of `Accept`. */
const CHOICES_MAX = 1000;
const choices = new Map<string, string | undefined>();

/** Negotiates the media type of a successful response (RFC 9110 section 12.5.1). Problems are not negotiated. */
export function negotiateContent(baseUrl: BaseUrl): preParsingHookHandler {
  return (request: FastifyRequest, reply: FastifyReply, _payload, done) => {
    const { accept } = request.headers;
    // Without a body, the document has only the type of problems, and clients that are generated of it accept nothing else.
    const isEnough = request.method === 'DELETE' && accept?.toLowerCase().includes(PROBLEM) === true;
    const chosen = accept === undefined || isEnough ? RESPONSE_TYPES[0] : choose(accept);
    if (chosen !== undefined) {
      stateOf(request).responseType = chosen;
      return done();
    }
    const detail = `Accept must allow ${RESPONSE_TYPES.join(' or ')}.`;
    void sendProblem(reply, { code: 'not_acceptable', detail }, baseUrl);
  };
}

/** A parameter of a media range but its weight, and a value in quotes. */
const PARAMETER = /;(?![ \t]*q[ \t]*=)[^;,="]+=[ \t]*(?:"(?:[^"\\]|\\.)*"|[^;,"]*)/gi;

/**
 * Returns the preferred one of `types`, the first without a preference, or `undefined` if `Accept` allows none. Parameters of
 * a range such as `charset` mean nothing, because no type has several forms, and an empty value is none.
 */
export function preferredType(accept: string | undefined, types: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === '') return types[0];
  return new Negotiator({ headers: { accept: accept.replaceAll(PARAMETER, '') } }).mediaType([...types]);
}

function choose(accept: string): string | undefined {
  if (choices.has(accept)) return choices.get(accept);
  const chosen = preferredType(accept, RESPONSE_TYPES);
  if (choices.size >= CHOICES_MAX) choices.clear();
  choices.set(accept, chosen);
  return chosen;
}
