import type { Server } from 'node:http';

/**
 * Serves a request whatever it expects; Node.js answers `100-continue` by itself. To any other expectation it would
 * answer 417 without a problem, which a server may leave out (RFC 9110 section 10.1.1).
 */
export function ignoreUnknownExpectations(server: Server): void {
  if (server.listenerCount('checkExpectation') > 0) return;
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
