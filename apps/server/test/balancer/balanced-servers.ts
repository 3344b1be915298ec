import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { onTestFinished } from 'vitest';
import { aDataDir, run, type RunningServer, startServer } from '../running-server.ts';
import { PUBLIC_BASE_URL } from './running-balancer.ts';

/** A database for servers behind the balancer, until the test is finished. */
export async function aDatabase() {
  const postgres = await startEmbeddedPostgres({ dataDir: await aDataDir() });
  onTestFinished(() => postgres.stop());
  const env = { DATABASE_URL: postgres.url, DATA_DIR: '/nowhere', NODE_ENV: 'production' };
  return {
    /** Starts a server on it, on any port or on one where there was one before. */
    serve: async (more: Readonly<Record<string, string>> = {}): Promise<RunningServer> => {
      const limits = { RATE_LIMIT_READ: '0', RATE_LIMIT_WRITE: '0' };
      return await startServer({ ...env, PUBLIC_BASE_URL, TRUST_PROXY: '127.0.0.1', ...limits, ...more });
    },
    /** Makes a key of an owner who has no orders yet. */
    aKey: async (): Promise<string> => {
      const args = ['keys', 'create', '--owner', 'shop', '--scopes', 'orders:read,orders:write'];
      const { stdout, stderr } = await run('orders.ts', env, args).finished;
      if (stdout === '') throw new Error(stderr);
      return stdout.trim();
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}
