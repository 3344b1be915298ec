import { createServer, type RequestListener } from 'node:http';
import { createServer as createRawServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenAnywhere } from '../programs/ports.ts';
import { type RunningServer, startServer } from '../programs/running-server.ts';
import { aDatabase as aTestDatabase } from '../programs/server-on-database.ts';
import { PUBLIC_BASE_URL } from './running-balancer.ts';

/** A database for servers behind the balancer, until the test ends. */
export async function aDatabase() {
  const { url, apiKey } = await aTestDatabase();
  const env = { DATABASE_URL: url, DATA_DIR: '/nowhere', NODE_ENV: 'production', PUBLIC_BASE_URL };
  return {
    /** A key of an owner without orders. */
    apiKey,
    /** Starts a server on the database, on any port or on the port of an earlier one. `file` is that of another release. */
    serve: async (more: Readonly<Record<string, string>> = {}, file?: string): Promise<RunningServer> => {
      const limits = { RATE_LIMIT_READ: '0', RATE_LIMIT_WRITE: '0' };
      return await startServer({ ...env, TRUST_PROXY: '127.0.0.1', ...limits, ...more }, apiKey, file);
    },
  };
}

/** Returns the address of a server for the balancer's configuration. */
export function addressOf({ url }: RunningServer): string {
  return new URL(url).host;
}

/**
 * Starts a server that reports that it is ready and otherwise does what `handle` does, until the test ends. Returns its
 * address.
 */
export async function aStandIn(handle: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/readyz') response.end();
    else handle(request, response);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${await listenAnywhere(server)}`;
}

/** A server that accepts everything, and the bytes that it received. */
export interface AgreeableServer {
  readonly address: string;
  /** The bytes of all connections, without those of health checks. */
  readonly received: () => string;
}

/**
 * Starts a server that accepts every upgrade and tunnel and responds with 200 to everything else, without parsing it.
 * Everything that the balancer forwards thus gets a response. It runs until the test ends.
 */
export async function anAgreeableServer(): Promise<AgreeableServer> {
  let received = '';
  const server = createRawServer((socket) => {
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (text.startsWith('GET /readyz ')) {
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        return;
      }
      received += text;
      const upgrades = /^upgrade:/im.test(text);
      socket.write(upgrades ? `HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n` : OK);
    });
  });
  onTestFinished(() => {
    server.close();
  });
  return { address: `127.0.0.1:${await listenAnywhere(server)}`, received: () => received };
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
