import type { FastifyRequest } from 'fastify';
import { stateOf } from '../request-state.ts';
import { occurrenceOf } from './catalog.ts';
import { toProblem } from './from-domain.ts';
import type { Problem } from './problem.ts';

/** Maximum number of pieces in which a body arrives: chunks (RFC 9112 section 7.1), or what the socket receives at once. */
export const PIECES_MAX = 4096;
/** The codes of the errors of a body in too many pieces, and of one that is not read because the server is overloaded. */
export const TOO_MANY_PIECES = 'ORDERS_TOO_MANY_PIECES';
export const SHED = 'ORDERS_SHED';

/** The problem of a request that an overloaded server does not process. */
export const OVERLOADED: Problem = {
  code: 'unavailable',
  detail: 'The server is overloaded and did not process the request. A retry is safe.',
};

/** Returns the problem for an error that the framework or a bug has thrown. It never reveals internals. */
export function frameworkProblem(error: unknown, request: FastifyRequest): Problem {
  // A bug may have any code, including one of the framework's.
  const { readsBody } = stateOf(request);
  return (readsBody ? bodyProblem(error, request.routeOptions.bodyLimit) : undefined) ?? INTERNAL_ERROR;
}

const INTERNAL_ERROR = toProblem({ type: 'internal_error', cause: undefined });

/** Whether `error` is one that the framework throws while it reads a body. */
export function isFrameworkError(error: unknown): boolean {
  return bodyProblem(error) !== undefined;
}

function bodyProblem(error: unknown, limitBytes?: number): Problem | undefined {
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { code: 'payload_too_large', detail: `The body must be at most ${limitBytes} bytes.` };
    case TOO_MANY_PIECES:
      return { code: 'payload_too_large', detail: `The body must arrive in at most ${PIECES_MAX} chunks.` };
    case SHED:
      return OVERLOADED;
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { code: 'unsupported_media_type', detail: 'Content-Type must be a media type, such as application/json.' };
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { code: 'malformed_request', detail: 'The length of the body differs from Content-Length.' };
    case 'ECONNRESET':
      return { code: 'malformed_request', detail: 'The connection closed before the body was complete.' };
    default:
      return undefined;
  }
}

/** Returns the problem for a request that cannot be routed. The only such error of the framework is a bad URL. */
export function urlProblem(): Problem {
  return { code: 'malformed_request', detail: 'The URL cannot be parsed. Percent-encode its path and query.' };
}

/** Returns the `code` of an error. A bug may throw any value, including `null`. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Returns the problem for bytes that are not valid HTTP, given the error code of Node.js. */
export function connectionProblem(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return occurrenceOf('headers_too_large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return {
        code: 'payload_too_large',
        detail: 'The chunk extensions of the body are too large. Send shorter ones.',
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return occurrenceOf('request_timeout');
    case undefined:
    default:
      return occurrenceOf('malformed_request');
  }
}
