import type { IncomingMessage } from 'node:http';

/**
 * Whether a request names its host as HTTP/1.1 demands: exactly once; older versions may leave it out (RFC 9112
 * section 3.2). Node.js would refuse only the missing one, and without a problem.
 */
export function namesItsHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const sent = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  return sent === 1 || (sent === 0 && httpVersion !== '1.1');
}
