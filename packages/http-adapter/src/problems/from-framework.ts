import type { FastifyRequest } from 'fastify';
import { readsBody } from '../request-state.ts';
import type { Problem } from './problem.ts';

/** What a client is told when the framework or a bug, not a use case, ends a request. Internals stay inside. */
export function frameworkProblem(error: unknown, request: FastifyRequest): Problem {
  // A bug may carry any code, one of the framework's too.
  return (readsBody(request) ? bodyProblem(error) : undefined) ?? INTERNAL_ERROR;
}

const INTERNAL_ERROR: Problem = { code: 'internal_error', detail: 'The error was logged under the request id.' };

/** Whether an error is one with which the framework ends the reading of a body. */
export function isFrameworkError(error: unknown): boolean {
  return bodyProblem(error) !== undefined;
}

function bodyProblem(error: unknown): Problem | undefined {
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { code: 'payload_too_large', detail: 'Send a smaller body.' };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { code: 'unsupported_media_type', detail: 'Content-Type is not a media type.' };
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { code: 'malformed_request', detail: 'The body is not as long as Content-Length says.' };
    case 'ECONNRESET':
      return { code: 'malformed_request', detail: 'The body broke off.' };
    default:
      return undefined;
  }
}

/** What a client is told when no route can be looked for: of the framework's reasons only a bad URL is left. */
export function urlProblem(): Problem {
  return { code: 'malformed_request', detail: 'The URL cannot be read.' };
}

/** The framework's name for an error. A bug may throw anything, `null` too. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** What a client is told when its bytes are not HTTP, by Node.js's code for it. */
export function connectionProblem(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'headers_too_large', detail: 'Send a shorter request line and fewer or shorter headers.' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { code: 'payload_too_large', detail: 'Send shorter chunk extensions.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request_timeout', detail: 'Send the request faster.' };
    case undefined:
    default:
      return { code: 'malformed_request', detail: 'The request is not valid HTTP/1.1.' };
  }
}
