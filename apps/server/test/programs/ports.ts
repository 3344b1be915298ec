import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Lets a server listen on any free port of 127.0.0.1, and returns the port. */
export async function listenAnywhere(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Returns a port that nothing listens on. */
export async function aFreePort(): Promise<number> {
  const server = createServer();
  const port = await listenAnywhere(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
