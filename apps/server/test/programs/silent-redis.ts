import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenAnywhere } from './ports.ts';

/** A fake Redis that accepts connections, and responds only when configured to. */
export interface SilentRedis {
  readonly url: string;
  /** Whether it responds to commands from now on. */
  responses: boolean;
  /** The number of connections so far. */
  connections(): number;
  /** The maximum number of simultaneous connections. */
  connectionsAtOnce(): number;
  /** Returns how often it received this command. */
  received(command: string): number;
}

/** The responses of a Redis to the first commands of a connection, to a ping, and to a counted request. */
const RESPONSES: Readonly<Record<string, string>> = {
  HELLO: '%0\r\n',
  CLIENT: '+OK\r\n',
  PING: '+PONG\r\n',
  EVALSHA: '*2\r\n:1\r\n:30000\r\n',
};

/** Listens until the test ends. */
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
        if (redis.responses) socket.write(RESPONSES[command] ?? '');
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
    responses: false,
    connections: () => connections,
    connectionsAtOnce: () => connectionsAtOnce,
    received: (command) => received.filter((name) => name === command).length,
  };
  return redis;
}

/** Returns the names of the received commands: the first string of each array. */
function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)].map(([, name = '']) => name);
}
