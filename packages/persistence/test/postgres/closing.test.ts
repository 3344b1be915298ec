import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { openDatabase } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

it('does not report the end of a session while the database is closed', async () => {
  const { url, hold, sockets } = await startRelay(database.url);
  const warnings: string[] = [];
  const closing = openDatabase({ url, poolMax: 1, warn: (message) => warnings.push(message) });
  const [session] = await closing.primary.execute<{ pid: number }>(
    { name: '', text: 'select pg_backend_pid() as pid' },
    [],
  );
  hold();
  // PostgreSQL does not see the goodbye of the client, and ends the session itself.
  await closing.close();
  const [client] = sockets;
  if (!client) throw new Error('no connection was made');
  const closed = once(client, 'close');
  await execute(database.url, `select pg_terminate_backend(${session?.pid})`);
  await closed;
  expect(warnings).toEqual([]);
});

/** Starts a TCP relay to PostgreSQL. After `hold` it discards what clients send. */
async function startRelay(target: string) {
  const { hostname, port } = new URL(target);
  const sockets: Socket[] = [];
  let isHeld = false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    sockets.push(client);
    const postgres = connect(Number(port), hostname);
    client.on('data', (chunk) => (isHeld ? undefined : postgres.write(chunk)));
    postgres.pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = new URL(target);
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return { url: url.href, sockets, hold: () => (isHeld = true) };
}
