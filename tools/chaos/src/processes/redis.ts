import { once } from 'node:events';
import { connect } from 'node:net';
import type { Stage } from '../stage.ts';
import { freePort } from './free-port.ts';
import { ensureInstalled } from './ensure-installed.ts';
import { type Program, startProgram } from './program.ts';

const START_MS = 20_000;

/** A Redis without persistence that can stop and restart. */
export interface Redis {
  readonly url: string;
  signal(name: NodeJS.Signals): void;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export async function startRedis(stage: Stage): Promise<Redis> {
  ensureInstalled('redis-server', 'redis-server');
  const port = await freePort();
  const args = ['--bind', '127.0.0.1', '--port', `${port}`, '--save', '', '--appendonly', 'no', '--dir', stage.folder];
  const begin = async () => {
    const started = await startProgram(stage, 'redis', { command: 'redis-server', args });
    await started.says(/Ready to accept connections/, START_MS);
    return started;
  };
  let current: Program = await begin();
  return {
    url: `redis://127.0.0.1:${port}`,
    signal: (name) => current.signal(name),
    kill: () => current.kill(),
    start: async () => {
      current = await begin();
    },
  };
}

/** Returns the number of keys of a Redis, and its memory in KiB. */
export async function redisSize(url: string): Promise<{ readonly keys: number; readonly kib: number }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  let said = '';
  socket.on('data', (text: string) => (said += text));
  // Redis responds to a command on a line as to any other (Redis serialization protocol, "inline commands").
  socket.end('DBSIZE\r\nINFO memory\r\nQUIT\r\n');
  await once(socket, 'close');
  const [, keys] = /^:(\d+)/m.exec(said) ?? [];
  const [, bytes] = /^used_memory:(\d+)/m.exec(said) ?? [];
  return { keys: Number(keys), kib: Number(bytes) / 1024 };
}
