import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Problem } from '../problems/problem.ts';
import { isValidTarget, sentValues, WHOLE_SERVER } from '../connection/request-head.ts';

/** Default of `urlLimitBytes`. */
export const URL_LIMIT_BYTES_DEFAULT = 8 * 1024;

/** Closes the connection, because the end of the request is unknown or its body cannot be read. */
const CLOSE = { connection: 'close' };

/** Validates the request line, `Host` and `Transfer-Encoding`, which does not depend on the route. */
export function checkRequestLine({ raw, method, url }: FastifyRequest, urlLimitBytes: number): Problem | undefined {
  if (raw.httpVersionMajor !== 1) return malformed('The HTTP version must be 1.1.');
  if (!hasValidHost(raw)) return malformed('Send exactly one valid Host header.');
  const coding = raw.headers['transfer-encoding'];
  if (coding !== undefined) {
    // An intermediary may have framed the body in another way (RFC 9112 section 6.1).
    if (raw.httpVersion === '1.0') return malformed('HTTP/1.0 does not support Transfer-Encoding.', CLOSE);
    // Without chunks the end of the body is unknown (RFC 9112 section 6.3); inside another coding it cannot be read.
    if (coding.toLowerCase() !== 'chunked') return malformed('The Transfer-Encoding must be chunked.', CLOSE);
  }
  if (url === WHOLE_SERVER && method !== 'OPTIONS')
    return malformed('The request target * is supported by OPTIONS only.');
  if (!isValidTarget(url))
    return malformed('The URL cannot be parsed. Percent-encode its query in UTF-8, and send no fragment or user name.');
  if (Buffer.byteLength(url) <= urlLimitBytes) return undefined;
  return { code: 'uri_too_long', detail: `The path and query must be at most ${urlLimitBytes} bytes.` };
}

function malformed(detail: string, headers: Problem['headers'] = {}): Problem {
  return { code: 'malformed_request', detail, headers };
}

/** A name or address, and an optional port (RFC 9110 section 7.2). */
const HOST = /^(?:\[[0-9a-z:.~_-]+\]|(?:[0-9a-z._~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::[0-9]*)?$/i;

/**
 * Whether a request has exactly one valid `Host`, which HTTP/1.0 may omit (RFC 9112 section 3.2). Node.js rejects only a
 * missing `Host`, and does not send a problem.
 */
function hasValidHost(request: IncomingMessage): boolean {
  const [host, ...others] = sentValues(request, 'host');
  if (host === undefined) return request.httpVersion === '1.0';
  return others.length === 0 && HOST.test(host);
}
