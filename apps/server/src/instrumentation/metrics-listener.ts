import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { listenError } from '../operator-error.ts';

/** The HTTP endpoint for collectors of metrics. */
export interface MetricsListener {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Serves `registry` at `/metrics`, on a port of its own. The endpoint has no authentication and belongs in an internal
 * network.
 */
export async function serveMetrics(
  registry: Registry,
  { METRICS_HOST: host }: Config,
  port: number,
): Promise<MetricsListener> {
  const server = createServer((request, response) => void respond(registry, request, response));
  try {
    await once(server.listen(port, host), 'listening');
  } catch (cause) {
    throw listenError(cause, { host: 'METRICS_HOST', port: 'METRICS_PORT' }, host, port);
  }
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}/metrics`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(registry: Registry, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path] = (request.url ?? '').split('?');
  if (path !== '/metrics') return end(response, 404);
  if (request.method !== 'GET') return end(response, 405, { allow: 'GET' });
  try {
    end(response, 200, { 'content-type': registry.contentType }, await registry.metrics());
  } catch {
    end(response, 500);
  }
}

function end(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  text?: string,
): void {
  response.writeHead(status, headers).end(text);
}
