import { createServer, type RequestListener } from 'node:http';
import { createServer as createRawServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenAnywhere } from '../ports.ts';
import { type RunningServer, startServer } from '../running-server.ts';
import { aDatabase as aTestDatabase } from '../server-on-database.ts';
import { PUBLIC_BASE_URL } from './running-balancer.ts';

/** A database for servers behind the balancer, until the test is finished. */
export async function aDatabase() {
  const { url, apiKey } = await aTestDatabase();
  const env = { DATABASE_URL: url, DATA_DIR: '/nowhere', NODE_ENV: 'production', PUBLIC_BASE_URL };
  return {
    /** Of an owner who has no orders yet. */
    apiKey,
    /** Starts a server on it, on any port or on one where there was one before. */
    serve: async (more: Readonly<Record<string, string>> = {}): Promise<RunningServer> => {
      const limits = { RATE_LIMIT_READ: '0', RATE_LIMIT_WRITE: '0' };
      return await startServer({ ...env, TRUST_PROXY: '127.0.0.1', ...limits, ...more });
    },
  };
}

/** Where the balancer finds a server. */
export function addressOf({ url }: RunningServer): string {
  return new URL(url).host;
}

/** A server that says it is ready and otherwise does what it is told, until the test is finished. Tells where it is. */
export async function aStandIn(answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/readyz') response.end();
    else answer(request, response);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${await listenAnywhere(server)}`;
}

/** A server that agrees to everything, and the bytes that it received. */
export interface AgreeableServer {
  readonly address: string;
  /** The bytes of all connections, without those of health checks. */
  readonly received: () => string;
}

/**
 * Starts a server that accepts every upgrade and tunnel and responds with 200 to everything else, without parsing any
 * of it: whatever the balancer lets through gets a response. It runs until the test is finished.
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
