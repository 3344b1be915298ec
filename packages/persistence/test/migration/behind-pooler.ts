import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * The message BackendKeyData of PostgreSQL's protocol 3.0: its type and length, followed by process id and secret key.
 */
const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);

/** The first process id that the simulated pooler announces; no backend has it. */
const POOLER_PID = 0x7fff_0000;

/**
 * Starts a proxy until the test ends, and returns its URL. Like a pooler, it announces another process id than the
 * backend's.
 */
export async function behindPooler(url: string): Promise<string> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const postgres = connect(Number(target.port), target.hostname);
    for (const socket of [client, postgres]) sockets.add(socket.on('error', () => undefined));
    client.pipe(postgres);
    postgres.on('data', (chunk: Buffer) => {
      const at = chunk.indexOf(KEY_DATA);
      if (at >= 0) chunk.writeInt32BE(POOLER_PID, at + KEY_DATA.length);
      client.write(chunk);
    });
    postgres.on('close', () => client.end());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  const address = server.address();
  const pooled = new URL(url);
  pooled.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return pooled.href;
}
