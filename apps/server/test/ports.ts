import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Has a server listen on any port of 127.0.0.1 that is free; tells which. */
export async function listenAnywhere(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A port that nobody listens on. */
export async function aFreePort(): Promise<number> {
  const server = createServer();
  const port = await listenAnywhere(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
