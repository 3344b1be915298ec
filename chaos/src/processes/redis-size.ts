import { once } from 'node:events';
import { connect } from 'node:net';

/** How many keys a Redis has, and how much memory it uses, in KiB. */
export async function redisSize(url: string): Promise<{ readonly keys: number; readonly kib: number }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  let said = '';
  socket.on('data', (text: string) => (said += text));
  // Commands in a line are answered like any (Redis serialization protocol, "inline commands").
  socket.end('DBSIZE\r\nINFO memory\r\nQUIT\r\n');
  await once(socket, 'close');
  const [, keys] = /^:(\d+)/m.exec(said) ?? [];
  const [, bytes] = /^used_memory:(\d+)/m.exec(said) ?? [];
  return { keys: Number(keys), kib: Number(bytes) / 1024 };
}
