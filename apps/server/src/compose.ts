import { randomUUIDv7 } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import underPressure from '@fastify/under-pressure';
import type { Clock, Domain, OrderDefinition } from '@orders/domain';
import { type EventFeed, type FeedEvent, presentEvent } from '@orders/domain/events';
import {
  apiKeys,
  authenticateBy,
  type Authentication,
  bearerTokens,
  clientCertificates,
  type ConnectionObserver,
  currentEntry,
  type ConsoleFiles,
  operatorHttp,
  ordersHttp,
  ownerLoads,
  type OrdersHttpObserver,
  PROTECTED_RESOURCE_PATH,
  type RateLimitStore,
  type Readiness,
} from '@orders/http-adapter';
import {
  type Database,
  postgresApiKeys,
  postgresAudit,
  postgresClientCertificates,
  postgresDeliveriesOfOwners,
  postgresEndpointsOfOwners,
  postgresEventFeed,
  postgresOperatorJobs,
  postgresOperators,
  postgresOwners,
  postgresOwnerSettings,
  postgresOrderComments,
  postgresRecordedEndpoints,
  postgresOrderFinder,
  postgresOrderStatistics,
  postgresTimelines,
  recordedTransactions,
} from '@orders/persistence';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { adminPortOf, adminUrlOf, type Config, urlOf } from './config/config.ts';
import type { Instrumentation } from './instrumentation/instrumentation.ts';
import { domainOf } from './domain.ts';
import { createListener, portOf } from './listener.ts';
import { type UsedCredentials, usedCredentials } from './jobs/credential-uses.ts';
import type { Job, JobObserver } from './jobs/job.ts';
import { type FollowedSettings, followOwnerSettings } from './jobs/owner-settings.ts';
import { type System, systemOf } from './jobs/system-report.ts';
import { type ServerWebhooks, serverWebhooks } from './webhooks.ts';

/** The parts of a server that its configuration does not determine. */
export interface Parts {
  readonly database: Database<unknown, OrderDefinition>;
  readonly log: FastifyBaseLogger;
  /** The signing keys of webhooks, the newest first. Default: none; the server has no webhooks. */
  readonly signingKeys?: readonly string[] | undefined;
  /** Time between two background queries for due deliveries, in milliseconds. Default: that of the worker. */
  readonly webhookPollMs?: number | undefined;
  /** The clock of webhooks: of their signatures, and of the validity of secrets. Default: that of this server. */
  readonly webhookClock?: Clock | undefined;
  /** The store in which several servers share their rate limits. Default: none; each server counts its own requests. */
  readonly rateLimitStore?: RateLimitStore | undefined;
  /** Default: always ready. */
  readonly whyNotReady?: Readiness | undefined;
  /** The names of the variables that are set. Default: none. */
  readonly given?: ReadonlySet<string> | undefined;
  /** The metrics and traces of use cases and requests. Default: none. */
  readonly instrumentations?: readonly Instrumentation[] | undefined;
  /** The files of the console. Default: none is served. */
  readonly console?: ConsoleFiles | undefined;
  /** Receives the results of webhooks. Default: no-op. */
  readonly webhookObserver?: JobObserver | undefined;
  /** Receives rate-limit, load-shedding and connection events. Default: no-op. */
  readonly httpObserver?: (OrdersHttpObserver & ConnectionObserver) | undefined;
}

/** The server rejects requests above these event loop delays and heap sizes. */
const EVENT_LOOP_DELAY_MAX_MS = 1000;
const HEAP_SHARE_MAX = 0.9;
/** The interval between measurements of both, in milliseconds. */
const LOAD_SAMPLE_MS = 1000;

/** The clock of all components. */
function now(): Date {
  return new Date();
}

/** A server before it listens. */
export interface Composed {
  readonly app: FastifyInstance;
  readonly domain: Domain<OrderDefinition>;
  /** The listener for operators; undefined without a port. */
  readonly operators: FastifyInstance | undefined;
  /** Undefined without signing keys. */
  readonly webhooks: ServerWebhooks | undefined;
  /** Records when credentials were last used. */
  readonly recordUses: Job;
  readonly ownerSettings: FollowedSettings;
  readonly system: System;
}

/** Composes the application: the only file that imports domain, HTTP and PostgreSQL together. */
export async function compose(config: Config, parts: Parts): Promise<Composed> {
  const { database, log, signingKeys } = parts;
  const { rateLimitStore, whyNotReady, instrumentations = [] } = parts;
  const publicBaseUrl = baseUrlOf(config, () => app);
  const ids = { next: randomUUIDv7 };
  const { definition } = database;
  const uninstrumented = domainOf(config, database, now);
  const instrumented = (plain: Domain<OrderDefinition>) =>
    instrumentations.reduce((inner, { useCases }) => useCases(inner), plain);
  const domain = instrumented(uninstrumented);
  const [keys, certificates] = [postgresApiKeys(database), postgresClientCertificates(database)];
  const credentials = usedCredentials(keys, certificates, log, now);
  const app = createListener(config, parts, publicBaseUrl, config.CORS_ORIGINS);
  for (const { requests } of instrumentations) requests(app);
  // The plugin only measures. The API itself rejects requests, as problem details.
  await app.register(underPressure, {
    sampleInterval: LOAD_SAMPLE_MS,
    maxEventLoopDelay: EVENT_LOOP_DELAY_MAX_MS,
    maxHeapUsedBytes: getHeapStatistics().heap_size_limit * HEAP_SHARE_MAX,
    pressureHandler: () => undefined,
  });
  const uninstrumentedFeed: EventFeed<OrderDefinition> = postgresEventFeed(database);
  const feed = instrumentations.reduce((inner, each) => each.feed(inner), uninstrumentedFeed);
  const present = (event: FeedEvent<OrderDefinition>) => presentEvent(event, definition);
  const { webhookClock: clock = { now }, webhookPollMs: pollMs, webhookObserver: observer } = parts;
  const webhookParts = { database, feed, log, clock, ids, present, pollMs, observer };
  const webhooks = signingKeys && serverWebhooks(config, { ...webhookParts, signingKeys });
  // Only now: the last requests may be tests, whose attempts would fail.
  app.addHook('onClose', (_, done) => {
    webhooks?.close();
    done();
  });
  const isOverloaded = overload(app);
  const ownerSettings = followOwnerSettings(database, log);
  const system = systemOf(config, { database, log, whyNotReady, given: parts.given ?? new Set() });
  const loads = ownerLoads();
  const statistics = postgresOrderStatistics(database);
  await app.register(ordersHttp, {
    domain,
    feed,
    statistics,
    webhooks: webhooks?.useCases,
    authentication: authentication(config, { ...credentials, log }, publicBaseUrl),
    rateLimits: {
      read: config.RATE_LIMIT_READ,
      write: config.RATE_LIMIT_WRITE,
      batch: config.RATE_LIMIT_BATCH,
      anonymous: config.RATE_LIMIT_ANONYMOUS,
      public: config.RATE_LIMIT_PUBLIC,
      store: rateLimitStore,
    },
    now,
    whyNotReady,
    isOverloaded,
    ownerSettings: ownerSettings.byOwner,
    ownerLoads: loads,
    observer: parts.httpObserver,
    timeLimitMs: config.REQUEST_TIMEOUT_MS,
    unreadBytesMax: config.UNREAD_BYTES_MAX,
    publicBaseUrl,
    bodyLimitBytes: config.BODY_LIMIT_BYTES,
    urlLimitBytes: config.URL_LIMIT_BYTES,
    corsOrigins: config.CORS_ORIGINS,
  });
  const recorded = recordedTransactions(database);
  const adminUrl = () => operatorsUrlOf(operators, config);
  const operators: FastifyInstance | undefined =
    adminPortOf(config) === undefined ? undefined : createListener(config, parts, adminUrl);
  await operators?.register(operatorHttp, {
    domain,
    feed,
    statistics,
    webhooks: webhooks?.useCasesOver(postgresRecordedEndpoints(database, currentEntry)),
    operators: postgresOperators(database),
    audit: postgresAudit(database),
    ownerStore: postgresOwnerSettings(database),
    orders: postgresOrderFinder(database),
    timelines: postgresTimelines(database),
    comments: postgresOrderComments(database),
    apiKeys: keys,
    clientCertificates: certificates,
    webhooksOfOwners: {
      endpoints: postgresEndpointsOfOwners(database),
      deliveries: postgresDeliveriesOfOwners(database),
    },
    jobs: postgresOperatorJobs(database),
    owners: postgresOwners(database),
    loads,
    system: system.report,
    write: (owner, work, entryOf) => recorded(owner, (transaction) => work(instrumented(transaction.domain)), entryOf),
    adminUrl,
    proxyTokens: proxyTokensOf(config, log),
    hosts: () => adminHosts(adminUrl()),
    console: parts.console,
    anonymousRate: config.RATE_LIMIT_ANONYMOUS,
    isOverloaded,
    observer: parts.httpObserver,
    timeLimitMs: config.REQUEST_TIMEOUT_MS,
    now,
  });
  return {
    app,
    operators,
    domain: uninstrumented,
    webhooks,
    recordUses: credentials.recordUses,
    ownerSettings,
    system,
  };
}

/**
 * Returns whether the process is overloaded. The first sample includes the start, which blocks the process for longer
 * than any request, and is ignored until the second sample.
 */
function overload(app: FastifyInstance): () => boolean {
  let countsFrom = Number.POSITIVE_INFINITY;
  app.addHook('onReady', (done) => {
    countsFrom = performance.now() + 2 * LOAD_SAMPLE_MS;
    done();
  });
  return () => performance.now() >= countsFrom && app.isUnderPressure();
}

/** Returns the tokens of the proxy that signs operators in; undefined without one. */
function proxyTokensOf(config: Config, log: FastifyBaseLogger) {
  const { ADMIN_JWT_JWKS_URL: jwksUrl, ADMIN_JWT_ISSUER: issuer, ADMIN_JWT_AUDIENCE: audience } = config;
  if (jwksUrl === undefined || issuer === undefined || audience === undefined) return undefined;
  const { ADMIN_JWT_ROLE_CLAIM: roleClaim, ADMIN_JWT_HEADER: header } = config;
  const warn = (message: string, err: unknown) => log.warn({ err }, message);
  return { jwksUrl, issuer, audience, roleClaim, header, warn };
}

/** The names of this machine, by which its own browser reaches the listener. */
const LOCAL_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/** Returns the hosts at which operators may reach their listener: that of its URL, or its address under the names of this machine. */
function adminHosts(url: string): readonly string[] {
  const { host, port, hostname } = new URL(url);
  return LOCAL_HOSTS.includes(hostname) ? LOCAL_HOSTS.map((name) => (port === '' ? name : `${name}:${port}`)) : [host];
}

/**
 * Returns every configured authentication method. Unauthenticated clients receive a challenge for a token if tokens
 * are configured.
 */
function authentication(
  config: Config,
  { log, ...stored }: UsedCredentials & Pick<Parts, 'log'>,
  publicBaseUrl: () => string,
): Authentication {
  const keys = apiKeys(stored.apiKeys, now);
  const certificates = config.TLS_CLIENT_CA_FILE ? [clientCertificates(stored.clientCertificates, now)] : [];
  const { AUTH_JWT_JWKS_URL: jwksUrl, AUTH_JWT_ISSUER: issuer, AUTH_JWT_AUDIENCE: audience } = config;
  if (jwksUrl === undefined || issuer === undefined || audience === undefined) {
    return authenticateBy(keys, ...certificates);
  }
  const tokens = bearerTokens({
    jwksUrl,
    issuer,
    audience,
    ownerClaim: config.AUTH_JWT_OWNER_CLAIM,
    scopeClaim: config.AUTH_JWT_SCOPE_CLAIM,
    warn: (message, err) => log.warn({ err }, message),
    resourceMetadataUrl: () => `${publicBaseUrl()}${PROTECTED_RESOURCE_PATH}`,
  });
  return authenticateBy(tokens, keys, ...certificates);
}

/**
 * Returns the base URL of problems: the configured one, or else the address of the server. Node.js requests the address
 * from the operating system at each call, so it is kept once the server listens.
 */
function baseUrlOf(config: Config, app: () => FastifyInstance): () => string {
  let known = config.PUBLIC_BASE_URL;
  return () => {
    if (known !== undefined) return known;
    const address = addressOf(app(), config);
    if (app().server.listening) known = address;
    return address;
  };
}

/** Returns the URL of the server, with the port that it listens on. */
export function addressOf(app: FastifyInstance, config: Config): string {
  return urlOf(config.HOST, portOf(app, config.PORT), config);
}

/** Returns the URL of the listener for operators. */
export function operatorsUrlOf(operators: FastifyInstance | undefined, config: Config): string {
  return adminUrlOf(config, portOf(operators, adminPortOf(config) ?? 0));
}
