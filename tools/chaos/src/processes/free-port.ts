import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range of outgoing connections on Linux, which could take the port of a stopped server. */
const [LOWEST, COUNT] = [15_000, 15_000];

/** Returns a free port of 127.0.0.1, for a program that restarts on it. */
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
