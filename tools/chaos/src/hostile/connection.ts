import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The target of a hostile client, and its local address. */
export interface Endpoint {
  readonly port: number;
  readonly localAddress?: string;
}

/** Opens a connection that reads nothing until it is resumed; `undefined` when it is refused. */
export async function openConnection(endpoint: Endpoint): Promise<Socket | undefined> {
  return await opened(connect(optionsOf(endpoint)));
}

/** Opens a connection that reads one byte a second. */
export async function openTricklingConnection(endpoint: Endpoint): Promise<Socket | undefined> {
  // `false` pauses the socket after each byte.
  const socket = connect({ ...optionsOf(endpoint), onread: { buffer: Buffer.alloc(1), callback: () => false } });
  const timer = setInterval(() => socket.resume(), 1000);
  socket.on('close', () => clearInterval(timer));
  return await opened(socket);
}

function optionsOf({ port, localAddress }: Endpoint) {
  return { port, host: '127.0.0.1', ...(localAddress === undefined ? {} : { localAddress }) };
}

async function opened(socket: Socket): Promise<Socket | undefined> {
  socket.pause();
  try {
    await once(socket, 'connect');
  } catch {
    return undefined;
  }
  socket.on('error', () => undefined); // 'close' follows.
  return socket;
}
