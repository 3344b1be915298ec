import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { COMMON_HEADERS } from './response-headers.ts';
import { lastResponses, lingerOn } from './connection-gate.ts';
import { PROBLEMS } from '../problems/catalog.ts';
import { connectionProblem } from '../problems/from-framework.ts';
import { type BaseUrl, type Problem, problemBody, problemHeaders } from '../problems/problem.ts';

/** Responds to invalid HTTP with a problem if the connection is writable, and ends the connection. */
export async function rejectMalformed(
  error: { readonly code?: string },
  socket: Duplex,
  baseUrl: BaseUrl,
  log: FastifyBaseLogger,
): Promise<void> {
  // Bytes after the first fault cause further errors.
  if (socket.writableEnded) return;
  const last = await responsesClosed(socket);
  if (error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // A request whose body turns out to be malformed after its response gets no second response.
  if (!socket.writable || (last?.req.complete === false && last.headersSent)) {
    lingerOn(socket);
    return;
  }
  const problem = connectionProblem(error.code);
  const request_id = hangUp(socket, problem, baseUrl);
  log.info({ request_id, status: PROBLEMS[problem.code].status, code: error.code }, 'malformed request');
}

/**
 * Stops reading from a connection, and waits for the responses to its complete requests. Otherwise the client would take
 * the next bytes for one of them. Returns the last response, which may be pending or sent.
 */
export async function responsesClosed(socket: Duplex): Promise<ServerResponse | undefined> {
  const responses = lastResponses(socket);
  for (const response of responses) {
    if (response.req.complete && !response.closed) await new Promise((resolve) => response.once('close', resolve));
  }
  return responses.at(-1);
}

/** Writes a problem to a socket without a reply object, and ends the connection. Returns the id of the request. */
export function hangUp(socket: Duplex, problem: Problem, baseUrl: BaseUrl): string {
  const id = randomUUID();
  const { status } = PROBLEMS[problem.code];
  const body = JSON.stringify(problemBody(problem, id, baseUrl));
  const headers = {
    ...COMMON_HEADERS,
    ...problemHeaders(problem),
    'x-request-id': id,
    'content-length': `${Buffer.byteLength(body)}`,
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // Without a listener, a client that resets the connection would end the process.
  socket.on('error', () => undefined);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  lingerOn(socket);
  return id;
}
