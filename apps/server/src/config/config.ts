import {
  isOrigin,
  RATE_LIMITS_DEFAULT,
  RESPONSE_READ_TIMEOUT_MS_DEFAULT,
  UNREAD_BYTES_MAX_DEFAULT,
} from '@orders/http-adapter/settings';
import { DENY_CIDRS_DEFAULT, isSigningKey, SIGNING_KEY_BYTES_MAX, SIGNING_KEY_BYTES_MIN } from '@orders/webhooks';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import {
  addressBlocks,
  baseUrl,
  collector,
  databaseUrl,
  DAY_MS,
  keySource,
  listOf,
  redisUrl,
  SAMPLERS,
  schemaName,
  share,
  TRACE_PROTOCOLS,
  whole,
} from './environment-values.ts';
import { readDatabaseUrl } from './database-url.ts';
import { OperatorError } from '../operator-error.ts';
import { isProduction } from './developer-output.ts';
import { isThisMachine } from './this-machine.ts';
import { webhookFaults } from './webhook-settings.ts';

const KEYS = `different keys of ${SIGNING_KEY_BYTES_MIN} to ${SIGNING_KEY_BYTES_MAX} random bytes in base64`;

/** The environment variables of the server: accepted values, defaults and descriptions. */
export const ENVIRONMENT = z.object({
  NODE_ENV: z
    .string()
    .optional()
    .describe(
      'anything but `development` and `test` means production, which requires DATABASE_URL and revokes the demo API keys. Default: development',
    ),
  HOST: z.string().default('127.0.0.1').describe('the address to listen on'),
  PORT: whole(0, 65_535).default(3000).describe('the port to listen on; 0 selects any free port'),
  PUBLIC_BASE_URL: baseUrl
    .optional()
    .describe(
      'the URL at which clients reach the API, which may have a path that a proxy removes. Links, locations, the servers of the OpenAPI document and the `type` of every problem are below it. Default: `http://HOST:PORT`',
    ),
  TRUST_PROXY: listOf(
    (proxy) => ipaddr.isValid(proxy) || ipaddr.isValidCIDR(proxy),
    'IP addresses or CIDR blocks of proxies, such as 10.0.0.0/8',
  ).describe(
    'the proxies whose X-Forwarded-For header is trusted, which determines the client address for rate limits',
  ),
  CORS_ORIGINS: listOf(isOrigin, 'origins, such as https://shop.example.com').describe(
    'the origins of web pages that may use the API by script (CORS)',
  ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info')
    .describe('the minimum level of log lines'),
  LOG_CLIENT_NETWORK: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .default('off')
    .describe('`on` adds the network of the client to the line of a request: a /24 of IPv4, a /48 of IPv6'),
  DATABASE_URL: databaseUrl
    .optional()
    .describe('the PostgreSQL database, release 15 or later. Default: an embedded PostgreSQL in DATA_DIR'),
  DATABASE_SCHEMA: schemaName
    .default('orders')
    .describe('the PostgreSQL schema of the tables, which migrations create; several may be in one database'),
  MIGRATE: z
    .enum(['create', 'pending', 'off'], { error: 'must be create, pending or off' })
    .optional()
    .describe(
      'what a start does to the schema: `create` also creates its tables, `pending` applies what a new release brings to existing ones, `off` requires that `orders migrate` did it. Default: `create` with the embedded database, otherwise `pending`',
    ),
  DATABASE_REPLICA_URLS: listOf((url) => readDatabaseUrl(url).isOk(), 'PostgreSQL URLs')
    .transform((urls) => urls.map((url) => readDatabaseUrl(url).unwrapOr(url)))
    .describe('streaming replicas that lists are read from'),
  DATABASE_PREPARED_STATEMENTS: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .default('on')
    .describe('`off` for a pooler that does not support named prepared statements'),
  DATABASE_POOL_MAX: whole(1, 1000)
    .default(10)
    .describe(
      'the maximum number of connections to the database, and to each replica; one owner uses at most a third of them',
    ),
  STATEMENT_TIMEOUT_MS: whole(1, DAY_MS).default(10_000).describe('the maximum run time of a statement'),
  LOCK_TIMEOUT_MS: whole(1, DAY_MS)
    .default(1500)
    .describe(
      'the maximum wait of a statement for each lock; at most STATEMENT_TIMEOUT_MS, which also bounds the default',
    ),
  DATA_DIR: z
    .string()
    .default('.data')
    .describe('the folder for the data of the embedded PostgreSQL, and for the demo API key'),
  ORDERS_DEFINITION: z
    .string()
    .optional()
    .describe(
      'the module with the statuses, the rules and the custom data of orders, the same on all servers. Default: the lifecycle of a shop, without custom data',
    ),
  REDIS_URL: redisUrl
    .optional()
    .describe(
      'the Redis in which several servers share their rate limits. Without it each server counts its own requests',
    ),
  RATE_LIMIT_READ: whole(0, 1_000_000_000)
    .default(RATE_LIMITS_DEFAULT.read)
    .describe('the maximum number of reads per owner and minute; 0 for no limit'),
  RATE_LIMIT_WRITE: whole(0, 1_000_000_000)
    .default(RATE_LIMITS_DEFAULT.write)
    .describe('the maximum number of writes per owner and minute; 0 for no limit'),
  RATE_LIMIT_BATCH: whole(0, 1_000_000_000)
    .default(RATE_LIMITS_DEFAULT.batch)
    .describe('the maximum number of orders in batches per owner and minute; 0 for no limit'),
  RATE_LIMIT_ANONYMOUS: whole(0, 1_000_000_000)
    .default(RATE_LIMITS_DEFAULT.anonymous)
    .describe('the maximum number of requests without valid credentials per address and minute; 0 for no limit'),
  RATE_LIMIT_PUBLIC: whole(0, 1_000_000_000)
    .default(RATE_LIMITS_DEFAULT.public)
    .describe(
      'the maximum number of requests per address and minute that need no credentials (pages, unknown paths), and of OPTIONS requests; 0 for no limit. /livez and /readyz are never limited',
    ),
  AUTH_JWT_JWKS_URL: keySource
    .optional()
    .describe('the URL of the key set of the token issuer. Set together with the next two'),
  AUTH_JWT_ISSUER: z.string().optional().describe('the required `iss` of tokens'),
  AUTH_JWT_AUDIENCE: z
    .string()
    .optional()
    .describe('the required `aud` of tokens, or what each scope of a token without `aud` begins with, before a slash'),
  AUTH_JWT_OWNER_CLAIM: z.string().default('sub').describe('the claim that contains the owner'),
  AUTH_JWT_SCOPE_CLAIM: z
    .string()
    .optional()
    .describe(
      'the claim that contains the scopes, such as `permissions` or `roles`. Default: `scope`, or `scp` if that has none',
    ),
  TLS_CERT_FILE: z
    .string()
    .optional()
    .describe('the HTTPS certificate and its chain, in PEM. Without it the server uses HTTP'),
  TLS_KEY_FILE: z.string().optional().describe('the private key of that certificate, in PEM'),
  TLS_CLIENT_CA_FILE: z
    .string()
    .optional()
    .describe(
      'the CA certificates of client certificates, in PEM. Without it the server requests no client certificate',
    ),
  IDEMPOTENCY_TTL_HOURS: whole(1, 24 * 365)
    .default(24)
    .describe('the retention time of idempotency keys'),
  EVENT_RETENTION_DAYS: whole(1, 3650)
    .default(30)
    .describe('the retention time of events; at least IDEMPOTENCY_TTL_HOURS'),
  HISTORY_RETENTION_DAYS: whole(0, 3650)
    .default(0)
    .describe(
      'the retention time of versions that are no longer current; 0 keeps them as long as their order or customer exists. At least EVENT_RETENTION_DAYS, except 0',
    ),
  ERASURE_RETENTION_DAYS: whole(366, 3650)
    .default(400)
    .describe(
      'how long erasures by email, and the ids of the orders that they have erased, are kept for `orders erasures list`: longer than backups',
    ),
  STATISTICS: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .default('on')
    .describe('whether this server counts orders for `GET /v1/order_statistics`; `off` leaves it to others'),
  WEBHOOKS: z
    .enum(['on', 'api', 'off'], { error: 'must be on, api or off' })
    .optional()
    .describe(
      '`on` offers webhooks and sends them, `api` leaves sending to others, such as `orders webhooks`. Default: `on` with the embedded database or WEBHOOK_SIGNING_KEYS, otherwise `off`',
    ),
  WEBHOOK_SIGNING_KEYS: listOf(isSigningKey, KEYS)
    .refine((keys) => new Set(keys).size === keys.length, { error: `must be ${KEYS}, separated by commas` })
    .describe(
      'the keys that the secrets of webhooks derive from, the newest first, the same on all servers. Required for webhooks when DATABASE_URL is set. Default: a key in DATA_DIR/webhook-signing-key',
    ),
  WEBHOOK_ALLOW_CIDRS: addressBlocks().describe(
    'the addresses that webhooks may reach although they are not public, also by HTTP and at any port',
  ),
  WEBHOOK_DENY_CIDRS: addressBlocks(DENY_CIDRS_DEFAULT).describe(
    'the addresses that webhooks never reach, also if they are public or allowed. The default has the metadata services of clouds; add them to a list of your own',
  ),
  WEBHOOK_ATTEMPTS_PER_OWNER_PER_SECOND: whole(1, 100_000)
    .optional()
    .describe(
      'the maximum number of attempts per second that a worker makes for one owner while it serves others too. Default: 50 for each processor',
    ),
  BODY_LIMIT_BYTES: whole(1, 2 ** 30)
    .optional()
    .describe(
      'the maximum size of a request body. Default, and most of all: what the largest valid request of an operation needs, at most 1.2 MiB',
    ),
  URL_LIMIT_BYTES: whole(1, 16 * 1024)
    .default(8 * 1024)
    .describe('the maximum length of path and query'),
  REQUEST_TIMEOUT_MS: whole(1, DAY_MS)
    .default(30_000)
    .describe('the maximum time to receive a request, and also to respond'),
  RESPONSE_READ_TIMEOUT_MS: whole(1, DAY_MS)
    .default(RESPONSE_READ_TIMEOUT_MS_DEFAULT)
    .describe('the maximum time for a client to read a response, and the same again for each MiB of it'),
  UNREAD_BYTES_MAX: whole(1, 2 ** 40)
    .default(UNREAD_BYTES_MAX_DEFAULT)
    .describe("the number of unread response bytes of an owner's clients above which its requests get 429"),
  SHUTDOWN_DELAY_MS: whole(0, DAY_MS)
    .default(0)
    .describe(
      'the time for which the server continues to serve after /readyz reports that it stops, so that load balancers notice',
    ),
  SHUTDOWN_GRACE_MS: whole(0, DAY_MS)
    .default(10_000)
    .describe('the maximum time for requests in progress when the server stops'),
  ADMIN_HOST: z
    .string()
    .default('127.0.0.1')
    .describe(
      'the address of the listener for operators; one that other machines reach needs TLS_CERT_FILE or TRUST_PROXY',
    ),
  ADMIN_PORT: whole(0, 65_535)
    .optional()
    .describe(
      'the port of the listener for operators. Default: 3001 with the embedded database, otherwise there is no such listener',
    ),
  ADMIN_PUBLIC_URL: baseUrl
    .optional()
    .describe(
      'the URL at which operators reach that listener, which sign-in links begin with. Default: `http://ADMIN_HOST:ADMIN_PORT`',
    ),
  ADMIN_JWT_JWKS_URL: keySource
    .optional()
    .describe(
      'the URL of the key set of an authenticating proxy before that listener, whose tokens sign operators in. Set together with the next two',
    ),
  ADMIN_JWT_ISSUER: z.string().optional().describe('the required `iss` of its tokens'),
  ADMIN_JWT_AUDIENCE: z.string().optional().describe('the required `aud` of its tokens'),
  ADMIN_JWT_ROLE_CLAIM: z
    .string()
    .default('role')
    .describe('the claim that contains `viewer`, `support` or `admin`, or a list, of which the highest counts'),
  ADMIN_JWT_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,100}$/, { error: 'must be the name of a header' })
    .default('Authorization')
    .describe('the header that contains its tokens, such as `Cf-Access-Jwt-Assertion`'),
  METRICS_HOST: z.string().default('127.0.0.1').describe('the address of the metrics endpoint'),
  METRICS_PORT: whole(0, 65_535)
    .optional()
    .describe('the port of the metrics endpoint for Prometheus. Without it there is no endpoint'),
  // The variables of OpenTelemetry have their standard names. The exporter reads further ones.
  OTEL_SDK_DISABLED: z
    .string()
    .optional()
    .transform((value) => value?.toLowerCase() === 'true')
    .describe('`true` turns traces off'),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'], { error: 'must be otlp or none' })
    .optional()
    .describe('`otlp` sends traces, `none` does not. Default: `otlp` if an endpoint is set'),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.optional().describe('the collector that traces are sent to'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.optional().describe('the same for traces alone, including the path'),
  OTEL_EXPORTER_OTLP_PROTOCOL: TRACE_PROTOCOLS.default('http/protobuf').describe('the protocol of the collector'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: TRACE_PROTOCOLS.optional().describe('the same for traces alone'),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, { error: `must be one of ${SAMPLERS.join(', ')}` })
    .default('parentbased_always_on')
    .describe('the sampler, which selects the requests that are traced'),
  OTEL_TRACES_SAMPLER_ARG: share.default(1).describe('the share of requests that are traced, for samplers by ratio'),
  OTEL_BSP_SCHEDULE_DELAY: whole(1, DAY_MS)
    .default(5000)
    .describe('the interval between exports of traces, in milliseconds'),
  OTEL_BSP_EXPORT_TIMEOUT: whole(1, DAY_MS)
    .default(30_000)
    .describe('the maximum duration of an export, in milliseconds'),
  OTEL_BSP_MAX_QUEUE_SIZE: whole(1, 1_000_000)
    .default(2048)
    .describe('the maximum number of spans that wait for export; more are dropped'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: whole(1, 1_000_000).default(512).describe('the maximum number of spans in an export'),
});

/** The server's configuration, by environment variable. */
export type Config = z.output<typeof ENVIRONMENT>;

/** The variables whose values are never shown. Those of collectors may have a key in their path. */
export const SECRETS: ReadonlySet<string> = new Set<keyof Config>([
  'DATABASE_URL',
  'DATABASE_REPLICA_URLS',
  'REDIS_URL',
  'WEBHOOK_SIGNING_KEYS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
]);

/** The port of the listener for operators beside the embedded database. */
export const ADMIN_PORT_DEFAULT = 3001;

/** Groups of variables that must be set together, and others that need them. */
const TOGETHER = [
  {
    required: ['AUTH_JWT_JWKS_URL', 'AUTH_JWT_ISSUER', 'AUTH_JWT_AUDIENCE'],
    optional: ['AUTH_JWT_OWNER_CLAIM', 'AUTH_JWT_SCOPE_CLAIM'],
  },
  {
    required: ['ADMIN_JWT_JWKS_URL', 'ADMIN_JWT_ISSUER', 'ADMIN_JWT_AUDIENCE'],
    optional: ['ADMIN_JWT_ROLE_CLAIM', 'ADMIN_JWT_HEADER'],
  },
  { required: ['TLS_CERT_FILE', 'TLS_KEY_FILE'], optional: ['TLS_CLIENT_CA_FILE'] },
];

/** Returns the environment without empty variables. */
export type Given = Readonly<Record<string, string | undefined>>;

function missing({ required, optional }: (typeof TOGETHER)[number], given: Given): readonly string[] {
  const set = [...required, ...optional].find((name) => given[name] !== undefined);
  if (set === undefined) return [];
  return required.filter((name) => given[name] === undefined).map((name) => `${name}: must be set when ${set} is set`);
}

/** Returns the errors in the retention times, which depend on one another. */
function retentionFaults(config: Config): readonly string[] {
  const { EVENT_RETENTION_DAYS: events, HISTORY_RETENTION_DAYS: history, IDEMPOTENCY_TTL_HOURS: keyHours } = config;
  // A replay reads the change record of its event.
  return [
    ...(events * 24 < keyHours
      ? [`EVENT_RETENTION_DAYS: must be at least IDEMPOTENCY_TTL_HOURS, ${keyHours} hours`]
      : []),
    ...(history > 0 && history < events
      ? [`HISTORY_RETENTION_DAYS: must be 0 or at least EVENT_RETENTION_DAYS, ${events} days`]
      : []),
  ];
}

/** Returns the error of a listener for operators whose tokens would pass a network in the clear. */
function operatorFaults({ ADMIN_HOST: host, TLS_CERT_FILE, TRUST_PROXY }: Config): readonly string[] {
  const isLocal = isThisMachine({ hostname: host.includes(':') ? `[${host}]` : host });
  return isLocal || TLS_CERT_FILE !== undefined || TRUST_PROXY.length > 0
    ? []
    : ['ADMIN_HOST: must be an address of this machine alone, unless TLS_CERT_FILE or TRUST_PROXY is set'];
}

/** Returns the port of the listener for operators; `undefined` for none. */
export function adminPortOf({ ADMIN_PORT, DATABASE_URL }: Config): number | undefined {
  return ADMIN_PORT ?? (DATABASE_URL === undefined ? ADMIN_PORT_DEFAULT : undefined);
}

/** Returns the URL of a listener of this server. */
export function urlOf(host: string, port: number, { TLS_CERT_FILE }: Pick<Config, 'TLS_CERT_FILE'>): string {
  const scheme = TLS_CERT_FILE === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Returns the URL at which operators reach their listener, which may have another port than the configured one. */
export function adminUrlOf(config: Config, port = config.ADMIN_PORT ?? ADMIN_PORT_DEFAULT): string {
  return config.ADMIN_PUBLIC_URL ?? urlOf(config.ADMIN_HOST, port, config);
}

/** Returns the errors in the time limits of statements, which depend on one another. */
function timeoutFaults({ STATEMENT_TIMEOUT_MS, LOCK_TIMEOUT_MS }: Config): readonly string[] {
  return LOCK_TIMEOUT_MS > STATEMENT_TIMEOUT_MS
    ? [`LOCK_TIMEOUT_MS: must be at most STATEMENT_TIMEOUT_MS, ${STATEMENT_TIMEOUT_MS}`]
    : [];
}

/**
 * Parses the configuration. An empty variable counts as absent. `validateFiles` returns errors in the files that it
 * refers to, and `doubts` are added to the message.
 *
 * @throws {OperatorError} the environment is invalid; the message lists every invalid variable
 */
export function readConfig(
  environment: Given,
  validateFiles: (given: Given) => readonly string[] = () => [],
  doubts: readonly string[] = [],
): Config {
  const given: Given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = ENVIRONMENT.safeParse(given);
  const faults = parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  if (isProduction(given) && given['DATABASE_URL'] === undefined) {
    faults.push(`DATABASE_URL: must be set when NODE_ENV is ${given['NODE_ENV']}`);
  }
  faults.push(...TOGETHER.flatMap((names) => missing(names, given)), ...validateFiles(given));
  const config = parsed.data;
  if (config && given['LOCK_TIMEOUT_MS'] === undefined)
    config.LOCK_TIMEOUT_MS = Math.min(config.LOCK_TIMEOUT_MS, config.STATEMENT_TIMEOUT_MS);
  if (config)
    faults.push(
      ...retentionFaults(config),
      ...timeoutFaults(config),
      ...operatorFaults(config),
      ...webhookFaults(config),
    );
  if (!config || faults.length > 0) throw new OperatorError([...new Set(faults), ...doubts]);
  return config;
}
