import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenAnywhere } from './ports.ts';

/** The responses of a Redis to the first commands of a connection, to a ping, and to a counted request. */
const RESPONSES: Readonly<Record<string, string>> = {
  HELLO: '%0\r\n',
  CLIENT: '+OK\r\n',
  PING: '+PONG\r\n',
  EVALSHA: '*2\r\n:1\r\n:30000\r\n',
};

/** Starts a fake Redis until the test ends. It accepts connections, and responds only while `state.responds`. */
export async function aSilentRedis() {
  const open = new Set<Socket>();
  const state = { responds: false, connections: 0, connectionsAtOnce: 0 };
  const received: string[] = [];
  const server = createServer((socket) => {
    state.connections += 1;
    open.add(socket);
    state.connectionsAtOnce = Math.max(state.connectionsAtOnce, open.size);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.setEncoding('utf8').on('data', (text: string) => {
      // The name of a command is the first string of an array.
      for (const [, command = ''] of text.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        received.push(command);
        if (state.responds) socket.write(RESPONSES[command] ?? '');
      }
    });
  });
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${await listenAnywhere(server)}`,
    state,
    /** Returns how often it received this command. */
    received: (command: string) => received.filter((name) => name === command).length,
  };
}
