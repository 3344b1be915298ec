import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Stage } from '../stage.ts';

/** What a receiver may send without end. */
const STREAMS = {
  hints: repeated(Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n')),
  // Requests for a handshake, which a client ignores during one (RFC 5246 section 7.4.1.1).
  handshakes: repeated(Buffer.from('160303000400000000', 'hex')),
};

type Stream = keyof typeof STREAMS;

/**
 * How a receiver behaves once it has got a request: it never responds, sends a byte a second, resets the connection, or
 * sends something without end.
 */
export type Misbehaviour = 'hangs' | 'drips' | 'resets' | Stream;

/** A receiver of webhooks that accepts none. */
export interface BadReceiver {
  readonly url: string;
  /** The number of its connections so far. */
  connections(): number;
}

const HEAD = 'HTTP/1.1 200 OK\r\nX-Slow: ';

/** Starts a receiver that ends with the stage. */
export async function startBadReceiver(stage: Stage, misbehaviour: Misbehaviour): Promise<BadReceiver> {
  let count = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    count += 1;
    open.add(socket);
    socket.on('error', () => undefined); // 'close' follows.
    let timer: NodeJS.Timeout | undefined;
    socket.once('data', () => {
      if (misbehaviour === 'resets') socket.resetAndDestroy();
      if (isStream(misbehaviour)) sendWithoutEnd(socket, STREAMS[misbehaviour]);
      if (misbehaviour !== 'drips') return;
      socket.write(HEAD);
      timer = setInterval(() => socket.write('.'), 1000);
    });
    socket.on('close', () => {
      clearInterval(timer);
      open.delete(socket);
    });
    socket.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atEnd(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a receiver has no port');
  const scheme = misbehaviour === 'handshakes' ? 'https' : 'http';
  return { url: `${scheme}://127.0.0.1:${address.port}/`, connections: () => count };
}

function isStream(misbehaviour: Misbehaviour): misbehaviour is Stream {
  return misbehaviour in STREAMS;
}

function repeated(bytes: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: 1000 }, () => bytes));
}

function sendWithoutEnd(socket: Socket, bytes: Buffer): void {
  const send = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', send);
  send();
}
