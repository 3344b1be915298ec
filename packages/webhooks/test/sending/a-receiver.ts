import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished, vi } from 'vitest';

/** A receiver of webhooks that speaks raw bytes. */
export interface Receiver {
  /** Its `http` URL. */
  readonly url: string;
  readonly port: number;
  /** What each connection has sent so far, in order of their arrival. */
  readonly received: readonly string[];
  /** Number of connections that are open. */
  open(): number;
  /** Waits until no connection is open. */
  allClosed(): Promise<void>;
}

/**
 * Starts a receiver until the test ends, on 127.0.0.1 or, for `null`, on every address of this machine.
 *
 * @param respond is called with each connection once the body of a request has arrived
 */
export async function aReceiver(
  respond: (socket: Socket, request: string) => void,
  connect: (socket: Socket) => void = () => undefined,
  host: string | null = '127.0.0.1',
): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    const index = received.push('') - 1;
    let pending = '';
    socket
      .setEncoding('utf8')
      .on('error', () => undefined)
      .on('close', () => sockets.delete(socket))
      .on('data', (chunk: string) => {
        received[index] += chunk;
        pending += chunk;
        if (!isComplete(pending)) return;
        const request = pending;
        pending = '';
        respond(socket, request);
      });
    connect(socket);
  });
  server.listen({ port: 0, ...(host !== null && { host }) });
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await once(server.close(), 'close');
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook?a=b`,
    port,
    received,
    open: () => sockets.size,
    allClosed: () => vi.waitUntil(() => sockets.size === 0).then(() => undefined),
  };
}

function isComplete(request: string): boolean {
  const [head = '', body] = request.split('\r\n\r\n');
  return body !== undefined && Buffer.byteLength(body) >= Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
}
