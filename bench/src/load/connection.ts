import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Case } from '../cases/case.ts';

/** An answer as it came over the wire, in the one-byte characters of HTTP. */
export interface RawAnswer {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: string;
}

/** One keep-alive connection, which carries one request at a time. */
export interface Connection {
  exchange(request: string): Promise<RawAnswer>;
  close(): void;
}

/** A request of a case, as {@link Connection} sends it. */
export function rawRequest({ request }: Case, target: string, port: number, apiKey: string): string {
  const { method, path, headers = {}, body = '' } = request(target);
  const length = method === 'POST' ? `content-length: ${body.length}\r\n` : '';
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: */*\r\nx-api-key: ${apiKey}\r\n${fields.join('')}${length}\r\n${body}`;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

/**
 * Opens a connection with as little between a request and its answer as can be: the client must not be what is
 * measured. It understands answers that tell their length, which every subject's do.
 */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return connectionOver(socket);
}

function connectionOver(socket: Socket): Connection {
  let received: Buffer = Buffer.alloc(0);
  let waiting: PromiseWithResolvers<RawAnswer> | undefined;
  const fail = (cause: Error) => {
    waiting?.reject(cause);
    waiting = undefined;
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = parse(received);
    if (!answer) return;
    received = Buffer.alloc(0);
    waiting?.resolve(answer);
  });
  return {
    exchange: (request) => {
      waiting = Promise.withResolvers();
      const { promise } = waiting;
      socket.write(request, 'latin1');
      return promise;
    },
    close: () => socket.destroy(),
  };
}

/** Reads an answer; `undefined` while it is not there as a whole. */
function parse(bytes: Buffer): RawAnswer | undefined {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const bodyAt = end + END_OF_HEAD.length;
  const length = status === 304 ? 0 : Number(CONTENT_LENGTH.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`an answer does not tell its length:\n${head}`);
  if (bytes.length < bodyAt + length) return undefined;
  return { status, head, body: bytes.toString('latin1', bodyAt, bodyAt + length) };
}
