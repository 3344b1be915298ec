import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Servers that no request may reach, at one port of every address of this machine. */
export interface Trap {
  readonly port: number;
  /** Addresses that the trap listens at: loopback and those of its networks. */
  readonly addresses: readonly string[];
  /** Number of connections so far. */
  connections(): number;
  close(): Promise<void>;
}

/** Opens a trap, whose connections get a response that an attempt accepts. */
export async function openTrap(): Promise<Trap> {
  const own = Object.values(networkInterfaces()).flatMap((each = []) => each);
  const addresses = [
    ...new Set(['127.0.0.1', '127.0.0.2', ...own.filter(({ scopeid }) => !scopeid).map(({ address }) => address)]),
  ];
  let count = 0;
  const open = new Set<Socket>();
  const accept = (socket: Socket) => {
    count++;
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    // A response before the request would not be valid.
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  };
  const servers: Server[] = [];
  let port = 0;
  for (const host of addresses) {
    const server = createServer(accept).listen({ host, port });
    await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address !== null) ({ port } = address);
    servers.push(server);
  }
  return {
    port,
    addresses,
    connections: () => count,
    async close() {
      for (const socket of open) socket.destroy();
      await Promise.all(servers.map((server) => once(server.close(), 'close')));
    },
  };
}
