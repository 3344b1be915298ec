import type { Problem } from './problem-details.ts';

/** What a client is told when the framework or a bug, not a use case, ends a request. Internals stay inside. */
export function frameworkProblem(error: unknown): Problem {
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { code: 'payload_too_large', detail: 'Send a smaller body.' };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { code: 'unsupported_media_type', detail: 'Content-Type is not a media type.' };
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { code: 'malformed_request', detail: 'The body is not as long as Content-Length says.' };
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return { code: 'malformed_request', detail: 'The URL cannot be read.' };
    default:
      return { code: 'internal_error', detail: 'The error was logged under the request id.' };
  }
}

/** The framework's name for an error. A bug may throw anything, `null` too. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** What a client is told when its bytes are not HTTP, by Node.js's code for it. */
export function connectionProblem(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { code: 'headers_too_large', detail: 'Send a shorter request line and fewer or shorter headers.' };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { code: 'request_timeout', detail: 'Send the request faster.' };
  return { code: 'malformed_request', detail: 'The request is not valid HTTP/1.1.' };
}
