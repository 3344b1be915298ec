import type { FastifyContextConfig, FastifyRequest } from 'fastify';

// Symbols, and no augmentation of Fastify's types: a host may give its routes members of any name.
const IS_HEALTH_CHECK: unique symbol = Symbol('orders: is health check');
const NAMES_VERSION: unique symbol = Symbol('orders: names version');

/** What the API records of a route of its own. */
interface Recorded {
  /** Whether a machine asks by it how the server is: served under any load, and not logged each time. */
  readonly isHealthCheck?: boolean;
  /** Whether the path names the version. */
  readonly namesVersion?: boolean;
}

type Config = FastifyContextConfig & { readonly [IS_HEALTH_CHECK]?: boolean; readonly [NAMES_VERSION]?: boolean };

/** The `config` of a route of the API. */
export function routeConfig({ isHealthCheck = false, namesVersion = false }: Recorded): FastifyContextConfig {
  const config: Config = { [IS_HEALTH_CHECK]: isHealthCheck, [NAMES_VERSION]: namesVersion };
  return config;
}

export function isHealthCheck({ routeOptions }: FastifyRequest): boolean {
  const config: Config = routeOptions.config;
  return config[IS_HEALTH_CHECK] === true;
}

export function namesVersion({ routeOptions }: FastifyRequest): boolean {
  const config: Config = routeOptions.config;
  return config[NAMES_VERSION] === true;
}
