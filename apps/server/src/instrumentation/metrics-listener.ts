import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { createListener, listen } from '../listener.ts';

/** The HTTP endpoint for collectors of metrics. */
export interface MetricsListener {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Serves `registry` at `/metrics`, on a port of its own, without TLS. The endpoint has no authentication and belongs in an
 * internal network.
 *
 * @throws {OperatorError} the address cannot be used
 */
export async function serveMetrics(registry: Registry, withTls: Config): Promise<MetricsListener> {
  const config = { ...withTls, TLS_CERT_FILE: undefined };
  const app = createListener(config, {}, () => '');
  app.get('/metrics', { exposeHeadRoute: false }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  app.setNotFoundHandler(({ url }, reply) =>
    /^\/metrics(?:\?|$)/.test(url) ? reply.code(405).header('allow', 'GET').send() : reply.code(404).send(),
  );
  const url = await listen(app, 'METRICS_', config);
  return {
    url: `${url}/metrics`,
    close: async () => {
      const closed = app.close();
      app.server.closeAllConnections();
      await closed;
    },
  };
}
