import { type ConnectionObserver, ordersServerOptions } from '@orders/http-adapter';
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify';
import { ADMIN_PORT_DEFAULT, type Config, urlOf } from './config/config.ts';
import { readTls } from './config/tls.ts';
import { OperatorError } from './operator-error.ts';

/** Maximum time for the headers of a request, and the interval of its check, in milliseconds. */
const HEADERS_TIMEOUT_MS = 10_000;
const ARRIVAL_CHECK_MS = 2000;

interface Observed {
  /** Default: none. */
  readonly log?: FastifyBaseLogger;
  readonly httpObserver?: ConnectionObserver | undefined;
}

/** Creates a listener, with or without TLS, with time limits for slow clients. Its routes decide whom it admits. */
export function createListener(
  config: Config,
  { log, httpObserver: observer }: Observed,
  baseUrl: () => string,
  corsOrigins: readonly string[] = [],
): FastifyInstance {
  const timeLimits = {
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, config.REQUEST_TIMEOUT_MS),
    connectionsCheckingInterval: ARRIVAL_CHECK_MS,
  };
  const tls = readTls(config);
  return fastify({
    ...ordersServerOptions(baseUrl, {
      corsOrigins,
      logsNetworks: config.LOG_CLIENT_NETWORK === 'on',
      responseReadTimeoutMs: config.RESPONSE_READ_TIMEOUT_MS,
      observer,
    }),
    ...(tls ? { https: { ...tls, ...timeLimits } } : { http: timeLimits }),
    ...(log && { loggerInstance: log }),
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    trustProxy: [...config.TRUST_PROXY],
  });
}

/** Returns the port that a listener has, or is to have. */
export function portOf(app: FastifyInstance | undefined, configured: number): number {
  const address = app?.server.address();
  return typeof address === 'object' && address !== null ? address.port : configured;
}

/**
 * Listens at the address of the variables that begin with `prefix`, and returns the URL.
 *
 * @throws {OperatorError} the address cannot be used; the message names the variable to change
 */
export async function listen(
  app: FastifyInstance,
  prefix: '' | 'ADMIN_' | 'METRICS_',
  config: Config,
): Promise<string> {
  const [host, port] = [config[`${prefix}HOST`], config[`${prefix}PORT`] ?? ADMIN_PORT_DEFAULT];
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const fault = faultOf(code, prefix, host, port);
    throw fault === undefined ? cause : new OperatorError([fault]);
  }
  return urlOf(host, portOf(app, port), config);
}

function faultOf(code: unknown, prefix: string, host: string, port: number): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `${prefix}PORT: port ${port} on ${host} is in use; stop the other program or choose another port`;
    case 'EACCES':
      return `${prefix}PORT: this account may not use port ${port}; choose a port above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${prefix}HOST: ${host} is not an address of this machine`;
    default:
      return undefined;
  }
}
