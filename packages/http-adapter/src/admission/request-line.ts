import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Problem } from '../problems/problem.ts';
import { isReadableTarget, sentValues, WHOLE_SERVER } from '../connection/request-head.ts';

/** A list of codings that ends with the one that tells where a body ends. */
const CHUNKED_LAST = /(?:^|[ \t,])chunked$/i;
/** No request is looked for behind this one. */
const LAST = { connection: 'close' };

/** What of a request can be refused before it is known what it is for. */
export function refuseRequestLine({ raw, method, url }: FastifyRequest, urlLimitBytes: number): Problem | undefined {
  if (raw.httpVersionMajor !== 1) return malformed('The HTTP version must be 1.1.');
  if (!namesItsHost(raw)) return malformed('Send exactly one valid Host header.');
  const coding = raw.headers['transfer-encoding'];
  if (coding !== undefined) {
    // Its body may have been framed for somebody else (RFC 9112 section 6.1).
    if (raw.httpVersion === '1.0') return malformed('HTTP/1.0 does not support Transfer-Encoding.', LAST);
    // Nothing tells where its body ends (RFC 9112 section 6.3).
    if (!CHUNKED_LAST.test(coding)) return malformed('The last Transfer-Encoding must be chunked.', LAST);
  }
  if (url === WHOLE_SERVER && method !== 'OPTIONS')
    return malformed('The request target * is supported by OPTIONS only.');
  if (!isReadableTarget(url))
    return malformed('The URL cannot be parsed. Percent-encode its query in UTF-8, and send no fragment or user name.');
  if (Buffer.byteLength(url) <= urlLimitBytes) return undefined;
  return { code: 'uri_too_long', detail: `The path and query must be at most ${urlLimitBytes} bytes.` };
}

function malformed(detail: string, headers: Problem['headers'] = {}): Problem {
  return { code: 'malformed_request', detail, headers };
}

/** A name or address, and a port (RFC 9110 section 7.2). An empty one is for targets without a server, which we are. */
const HOST = /^(?:\[[0-9a-z:.~_-]+\]|(?:[0-9a-z._~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::[0-9]*)?$/i;

/**
 * Whether a request names its host as HTTP/1.1 demands: exactly once and well formed; HTTP/1.0 may leave it out
 * (RFC 9112 section 3.2). Node.js would refuse only the missing one, and without a problem.
 */
function namesItsHost(request: IncomingMessage): boolean {
  const [host, ...others] = sentValues(request, 'host');
  if (host === undefined) return request.httpVersion === '1.0';
  return others.length === 0 && HOST.test(host);
}
