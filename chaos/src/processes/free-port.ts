import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what Linux gives to outgoing connections: one of those could take the port of a server that is down. */
const [LOWEST, COUNT] = [15_000, 15_000];

/** A port of 127.0.0.1 that nobody listens on, for somebody who will listen there again and again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    const server = createServer();
    const free = once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!(await free)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
