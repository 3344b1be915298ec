import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { COMMON_HEADERS } from './common-headers.ts';
import { ERROR_CATALOG } from './error-catalog.ts';
import { connectionProblem } from './framework-errors.ts';
import { type BaseUrl, type Problem, problemBody, problemHeaders } from './problem-details.ts';

/** The answers that a connection waits for, and that to its last request, in the order of the requests. */
const answers = new WeakMap<Duplex, readonly ServerResponse[]>();

/** Remembers which requests of a connection are unanswered. */
export function followAnswers(server: Server): void {
  server.prependListener('request', ({ socket }, response) => {
    const open = answers.get(socket)?.filter(({ closed }) => !closed) ?? [];
    answers.set(socket, [...open, response]);
  });
}

/** Answers bytes that are not HTTP, as far as the connection can still be written to, and ends it. */
export async function answerMalformed(
  error: { readonly code?: string },
  socket: Duplex,
  baseUrl: BaseUrl,
  log: FastifyBaseLogger,
): Promise<void> {
  // What comes behind the fault is a fault again.
  if (socket.writableEnded) return;
  for (const answer of answers.get(socket) ?? []) {
    // Whole requests from before the fault get their own answers first, or the client would take this one for theirs.
    if (answer.req.complete && !answer.closed) await new Promise((resolve) => answer.once('close', resolve));
    // A request that was answered before its body went wrong has its answer.
    if (!answer.req.complete && answer.headersSent) socket.destroy();
  }
  if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const problem = connectionProblem(error.code);
  const request_id = hangUp(socket, problem, baseUrl);
  log.info({ request_id, status: ERROR_CATALOG[problem.code].status, code: error.code }, 'malformed request');
}

/** For how long a client may read what it was told last, before its connection is cut (RFC 9112 section 9.6). */
const LINGER_MS = 1000;

/** Writes a problem where no reply is at hand, and ends the connection. Tells the id of the request. */
export function hangUp(socket: Duplex, problem: Problem, baseUrl: BaseUrl): string {
  const id = randomUUID();
  const { status } = ERROR_CATALOG[problem.code];
  const body = problemBody(problem, id, baseUrl);
  const headers = {
    ...COMMON_HEADERS,
    ...problemHeaders(problem),
    'x-request-id': id,
    'content-length': `${Buffer.byteLength(body)}`,
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // A client that resets the connection instead of reading must not end the process: nobody else listens here.
  socket.on('error', () => undefined);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(cut));
  return id;
}
