import type { IncomingMessage } from 'node:http';
import { sentValues } from './raw-headers.ts';

/** A name or address, and a port (RFC 9110 section 7.2). An empty one is for targets without a server, which we are. */
const HOST = /^(?:\[[0-9a-z:.~_-]+\]|(?:[0-9a-z._~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::[0-9]*)?$/i;

/**
 * Whether a request names its host as HTTP/1.1 demands: exactly once and well formed; HTTP/1.0 may leave it out
 * (RFC 9112 section 3.2). Node.js would refuse only the missing one, and without a problem.
 */
export function namesItsHost(request: IncomingMessage): boolean {
  const [host, ...others] = sentValues(request, 'host');
  if (host === undefined) return request.httpVersion === '1.0';
  return others.length === 0 && HOST.test(host);
}
