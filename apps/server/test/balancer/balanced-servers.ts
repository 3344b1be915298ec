import { createServer, type RequestListener } from 'node:http';
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
