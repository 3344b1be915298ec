import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenAnywhere } from './ports.ts';

/** Takes connections in the place of a Redis, and answers only what it is told to. */
export interface SilentRedis {
  readonly url: string;
  /** Whether it answers commands from now on. */
  answers: boolean;
  /** How many connections there were. */
  connections(): number;
  /** The most that there were at once. */
  connectionsAtOnce(): number;
  /** How often it was sent this command. */
  received(command: string): number;
}

/** What a Redis says to the commands that a connection begins with, to a ping, and to a request that is counted. */
const ANSWERS: Readonly<Record<string, string>> = {
  HELLO: '%0\r\n',
  CLIENT: '+OK\r\n',
  PING: '+PONG\r\n',
  EVALSHA: '*2\r\n:1\r\n:30000\r\n',
};

/** Listens until the test is finished. */
export async function aSilentRedis(): Promise<SilentRedis> {
  const open = new Set<Socket>();
  let connections = 0;
  let connectionsAtOnce = 0;
  const received: string[] = [];
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    connectionsAtOnce = Math.max(connectionsAtOnce, open.size);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const command of commandsIn(text)) {
        received.push(command);
        if (redis.answers) socket.write(ANSWERS[command] ?? '');
      }
    });
  });
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const port = await listenAnywhere(server);
  const redis: SilentRedis = {
    url: `redis://127.0.0.1:${port}`,
    answers: false,
    connections: () => connections,
    connectionsAtOnce: () => connectionsAtOnce,
    received: (command) => received.filter((name) => name === command).length,
  };
  return redis;
}

/** The names of the commands that were sent: the first string of each array. */
function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)].map(([, name = '']) => name);
}
