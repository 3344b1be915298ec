import { once } from 'node:events';
import { connect } from 'node:net';

/** A response as received, decoded as Latin-1. */
export interface RawResponse {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: string;
}

/** One keep-alive connection, which carries one request at a time. */
export interface Connection {
  exchange(request: string): Promise<RawResponse>;
  isClosed(): boolean;
  close(): void;
}

/** A request, whose body is ASCII, or bytes as characters. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Returns a request as the text that {@link Connection} sends. */
export function requestText({ method, path, headers, body }: RawRequest): string {
  const hasLength = body !== undefined || method !== 'GET';
  const length = hasLength ? `content-length: ${body?.length ?? 0}\r\n` : '';
  const fields = Object.entries({ host: '127.0.0.1', accept: '*/*', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${fields.join('')}${length}\r\n${body ?? ''}`;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

/**
 * Opens a connection with minimal overhead, so that the client does not dominate a measurement. It supports only
 * responses with a `Content-Length`.
 */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  let received: Buffer = Buffer.alloc(0);
  let waiting: PromiseWithResolvers<RawResponse> | undefined;
  const fail = (cause: Error) => {
    waiting?.reject(cause);
    waiting = undefined;
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const response = parse(received);
    if (!response) return;
    received = Buffer.alloc(0);
    waiting?.resolve(response);
  });
  return {
    exchange: (request) => {
      waiting = Promise.withResolvers();
      const { promise } = waiting;
      socket.write(request, 'latin1');
      return promise;
    },
    isClosed: () => socket.destroyed,
    close: () => socket.destroy(),
  };
}

/** Parses a response. Returns `undefined` while it is incomplete. */
function parse(bytes: Buffer): RawResponse | undefined {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const bodyAt = end + END_OF_HEAD.length;
  const length = status === 204 || status === 304 ? 0 : Number(CONTENT_LENGTH.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`a response has no Content-Length:\n${head}`);
  if (bytes.length < bodyAt + length) return undefined;
  return { status, head, body: bytes.toString('latin1', bodyAt, bodyAt + length) };
}
