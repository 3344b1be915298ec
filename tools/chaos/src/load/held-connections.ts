import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connections that stay open. */
export interface HeldConnections {
  /** The number of open connections. */
  open(): number;
  /** The first bytes received on each ended connection, and its duration in milliseconds. */
  readonly ended: readonly { readonly said: string; readonly openMs: number }[];
  close(): void;
}

const BATCH = 250;

/** Opens connections that each send one request, read its response, and then stay idle. */
export async function idleConnections(port: number, count: number): Promise<HeldConnections> {
  const held = holder();
  for (let opened = 0; opened < count; opened += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - opened) }, async () => {
      const socket = await held.connect(port);
      socket.write('GET /livez HTTP/1.1\r\nHost: orders\r\n\r\n');
      await once(socket, 'data');
    });
    await Promise.all(batch);
  }
  return held;
}

/** Opens connections that send an endless request, one byte a second. */
export async function slowConnections(port: number, count: number): Promise<HeldConnections> {
  const held = holder();
  const sockets = await Promise.all(Array.from({ length: count }, () => held.connect(port)));
  for (const socket of sockets) socket.write('GET /v1/orders HTTP/1.1\r\nHost: orders\r\nX-Slow: ');
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  }, 1000);
  return {
    ...held,
    close: () => {
      clearInterval(timer);
      held.close();
    },
  };
}

function holder() {
  const sockets = new Set<Socket>();
  const ended: { said: string; openMs: number }[] = [];
  return {
    ended,
    open: () => sockets.size,
    connect: async (port: number): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      await once(socket, 'connect');
      const begun = performance.now();
      let said = '';
      sockets.add(socket);
      socket.on('data', (text: string) => (said ||= text));
      socket.on('error', () => undefined); // The 'close' event follows.
      socket.on('close', () => {
        if (sockets.delete(socket)) ended.push({ said, openMs: performance.now() - begun });
      });
      return socket;
    },
    close: () => {
      const all = [...sockets];
      sockets.clear();
      for (const socket of all) socket.destroy();
    },
  };
}
