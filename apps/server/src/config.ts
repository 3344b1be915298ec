import {
  isOrigin,
  parseBaseUrl,
  RATE_LIMITS_DEFAULT,
  RESPONSE_READ_TIMEOUT_MS_DEFAULT,
  UNREAD_BYTES_MAX_DEFAULT,
} from '@orders/http-adapter';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { OperatorError } from './operator-error.ts';

const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^(0|[1-9][0-9]*)$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
};

const urlOf = (protocols: readonly string[], error: string) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), { error });

/** What stands between commas; none when the variable is absent. */
const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()])));

const databaseUrl = urlOf(
  ['postgres:', 'postgresql:'],
  'must be a PostgreSQL URL, postgresql://user:password@host:port/database',
);

const baseUrl = z.string().transform((value, { issues, value: input }) =>
  parseBaseUrl(value).match(
    (url) => url,
    (message) => {
      issues.push({ code: 'custom', message, input });
      return z.NEVER;
    },
  ),
);

const REDIS_URL_ERROR = 'must be a Redis URL, redis://user:password@host:port or with /number behind it';

const redisUrl = urlOf(['redis:', 'rediss:'], REDIS_URL_ERROR).refine(
  (value) => URL.canParse(value) && /^(\/\d{0,5})?$/.test(new URL(value).pathname),
  { error: REDIS_URL_ERROR },
);

/** Where tokens' keys may come from: not over a wire that others can write to. */
const keySource = z.string().refine(
  (value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, hostname, username, password } = new URL(value);
    if (username !== '' || password !== '') return false;
    return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname));
  },
  { error: 'must be an https URL, or an http URL of this machine, without a user or password' },
);

const TRACE_PROTOCOLS = z.enum(['http/protobuf', 'http/json'], { error: 'must be http/protobuf or http/json' });

const collector = urlOf(['http:', 'https:'], 'must be an http or https URL');

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const share = z
  .string()
  .transform(Number)
  .refine((value) => value >= 0 && value <= 1, { error: 'must be a number from 0 to 1' });

const DAY_MS = 24 * 60 * 60 * 1000;

/** The environment variables of the server: what each may be and what it is when absent. */
export const ENVIRONMENT = z.object({
  NODE_ENV: z.string().optional().describe('`production` asks for a DATABASE_URL and ends the demo API keys'),
  HOST: z.string().default('127.0.0.1').describe('the address to listen on'),
  PORT: whole(0, 65_535).default(3000).describe('the port to listen on; 0 takes any that is free'),
  PUBLIC_BASE_URL: baseUrl
    .optional()
    .describe('how clients reach the API; begins the `type` of every problem. Without it `http://HOST:PORT`'),
  TRUST_PROXY: list
    .refine((proxies) => proxies.every((proxy) => ipaddr.isValid(proxy) || ipaddr.isValidCIDR(proxy)), {
      error: 'must be addresses or CIDRs of proxies, such as 10.0.0.0/8, with a comma between them',
    })
    .describe(
      'who is believed about where a request comes from (X-Forwarded-For), which counts where strangers are limited',
    ),
  CORS_ORIGINS: list
    .refine((origins) => origins.every(isOrigin), {
      error: 'must be origins, such as https://shop.example.com, with a comma between them',
    })
    .describe('sites whose pages may use the API by script'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info')
    .describe('how much is logged'),
  DATABASE_URL: databaseUrl
    .optional()
    .describe('the database, of PostgreSQL 15 or later. Without it an embedded PostgreSQL in DATA_DIR'),
  DATABASE_REPLICA_URLS: list
    .refine((urls) => urls.every((url) => databaseUrl.safeParse(url).success), {
      error: 'must be PostgreSQL URLs with a comma between them',
    })
    .describe('streaming replicas that lists are read from'),
  DATABASE_PREPARED_STATEMENTS: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .default('on')
    .describe('`off` for a pooler that cannot carry named prepared statements'),
  DATABASE_POOL_MAX: whole(1, 1000)
    .default(10)
    .describe('the most connections to the database, and to each replica; one owner uses at most a third of them'),
  STATEMENT_TIMEOUT_MS: whole(1, DAY_MS).default(10_000).describe('how long a statement may run'),
  LOCK_TIMEOUT_MS: whole(1, DAY_MS)
    .default(1500)
    .describe('how long a statement may wait for each lock; at most STATEMENT_TIMEOUT_MS'),
  DATA_DIR: z.string().default('.data').describe('where the embedded PostgreSQL keeps its data, and the demo API key'),
  REDIS_URL: redisUrl
    .optional()
    .describe('the Redis in which several servers count rates together. Without it each counts for itself'),
  RATE_LIMIT_READ: whole(0, 1_000_000_000)
    .default(RATE_LIMITS_DEFAULT.read)
    .describe('reads of an owner in a minute; 0 for any number'),
  RATE_LIMIT_WRITE: whole(0, 1_000_000_000)
    .default(RATE_LIMITS_DEFAULT.write)
    .describe('writes of an owner in a minute; 0 for any number'),
  RATE_LIMIT_ANONYMOUS: whole(0, 1_000_000_000)
    .default(RATE_LIMITS_DEFAULT.anonymous)
    .describe('requests of an address without good credentials in a minute; 0 for any number'),
  RATE_LIMIT_PUBLIC: whole(0, 1_000_000_000)
    .default(RATE_LIMITS_DEFAULT.public)
    .describe(
      'requests of an address in a minute that need no credentials (pages, unknown paths), and as many OPTIONS; 0 for any number. /livez and /readyz are never limited',
    ),
  AUTH_JWT_JWKS_URL: keySource
    .optional()
    .describe("where the keys of the tokens' issuer are published. Set together with the next two"),
  AUTH_JWT_ISSUER: z.string().optional().describe('the `iss` that tokens must have'),
  AUTH_JWT_AUDIENCE: z.string().optional().describe('the `aud` that tokens must have'),
  AUTH_JWT_OWNER_CLAIM: z.string().default('sub').describe('the claim that says whose orders a token is for'),
  TLS_CERT_FILE: z
    .string()
    .optional()
    .describe('the certificate of HTTPS and those that vouch for it, in PEM. Without it the server speaks HTTP'),
  TLS_KEY_FILE: z.string().optional().describe('the key of that certificate, in PEM'),
  TLS_CLIENT_CA_FILE: z
    .string()
    .optional()
    .describe('who may vouch for client certificates, in PEM. Without it none is asked for'),
  IDEMPOTENCY_TTL_HOURS: whole(1, 24 * 365)
    .default(24)
    .describe('how long an idempotency key is remembered'),
  OUTBOX_RETENTION_DAYS: whole(1, 3650).default(30).describe('how long events are kept'),
  BODY_LIMIT_BYTES: whole(1, 2 ** 30)
    .default(1024 * 1024)
    .describe('the longest body'),
  URL_LIMIT_BYTES: whole(1, 16 * 1024)
    .default(8 * 1024)
    .describe('the longest path and query'),
  REQUEST_TIMEOUT_MS: whole(1, DAY_MS)
    .default(30_000)
    .describe('how long a request may take to arrive, and how long to answer'),
  RESPONSE_READ_TIMEOUT_MS: whole(1, DAY_MS)
    .default(RESPONSE_READ_TIMEOUT_MS_DEFAULT)
    .describe('how long a client may take to read a response, and as long again for each MiB of it'),
  UNREAD_BYTES_MAX: whole(1, 2 ** 40)
    .default(UNREAD_BYTES_MAX_DEFAULT)
    .describe('response bytes that the clients of an owner may leave unread before it gets 429'),
  SHUTDOWN_DELAY_MS: whole(0, DAY_MS)
    .default(0)
    .describe('how long the server goes on as ever once /readyz says that it stops, so that a balancer has noticed'),
  SHUTDOWN_GRACE_MS: whole(0, DAY_MS)
    .default(10_000)
    .describe('how long requests under way may take when the server stops'),
  METRICS_HOST: z.string().default('127.0.0.1').describe('the address to offer metrics on'),
  METRICS_PORT: whole(0, 65_535)
    .optional()
    .describe('the port to offer metrics on, for Prometheus. Without it there are none'),
  // Those of OpenTelemetry, by their own names; its exporter reads more of them.
  OTEL_SDK_DISABLED: z
    .string()
    .optional()
    .transform((value) => value?.toLowerCase() === 'true')
    .describe('`true` turns traces off'),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'], { error: 'must be otlp or none' })
    .optional()
    .describe('`otlp` sends traces, `none` does not. Without it traces are sent when an endpoint is set'),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.optional().describe('the collector that traces are sent to'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.optional().describe('the same for traces alone, with its path'),
  OTEL_EXPORTER_OTLP_PROTOCOL: TRACE_PROTOCOLS.default('http/protobuf').describe('how the collector is spoken to'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: TRACE_PROTOCOLS.optional().describe('the same for traces alone'),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, { error: `must be one of ${SAMPLERS.join(', ')}` })
    .default('parentbased_always_on')
    .describe('which requests are traced'),
  OTEL_TRACES_SAMPLER_ARG: share
    .default(1)
    .describe('which share of requests is traced, by the samplers that take a share'),
  OTEL_BSP_SCHEDULE_DELAY: whole(1, DAY_MS).default(5000).describe('milliseconds between two deliveries of traces'),
  OTEL_BSP_EXPORT_TIMEOUT: whole(1, DAY_MS).default(30_000).describe('milliseconds that a delivery may take'),
  OTEL_BSP_MAX_QUEUE_SIZE: whole(1, 1_000_000)
    .default(2048)
    .describe('spans that wait for delivery at most; more are dropped'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: whole(1, 1_000_000).default(512).describe('spans in a delivery at most'),
});

/** The server's configuration, by environment variable. */
export type Config = z.output<typeof ENVIRONMENT>;

/** Variables that mean nothing one without the other; the last may be left out of the others' company. */
const TOGETHER = [
  { required: ['AUTH_JWT_JWKS_URL', 'AUTH_JWT_ISSUER', 'AUTH_JWT_AUDIENCE'], optional: ['AUTH_JWT_OWNER_CLAIM'] },
  { required: ['TLS_CERT_FILE', 'TLS_KEY_FILE'], optional: ['TLS_CLIENT_CA_FILE'] },
];

/** The environment, without what is set to nothing. */
export type Given = Readonly<Record<string, string | undefined>>;

function missing({ required, optional }: (typeof TOGETHER)[number], given: Given): readonly string[] {
  const set = [...required, ...optional].find((name) => given[name] !== undefined);
  if (set === undefined) return [];
  return required.filter((name) => given[name] === undefined).map((name) => `${name}: must be set when ${set} is`);
}

/**
 * Reads the configuration. A variable that is set to nothing counts as absent. `judgeFiles` says what is wrong with the
 * files that it names.
 *
 * @throws {OperatorError} naming every variable that is wrong
 */
export function readConfig(environment: Given, judgeFiles: (given: Given) => readonly string[] = () => []): Config {
  const given: Given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = ENVIRONMENT.safeParse(given);
  const mistakes = parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  if (given['NODE_ENV'] === 'production' && given['DATABASE_URL'] === undefined) {
    mistakes.push('DATABASE_URL: must be set when NODE_ENV is production');
  }
  mistakes.push(...TOGETHER.flatMap((names) => missing(names, given)), ...judgeFiles(given));
  if (!parsed.success || mistakes.length > 0) throw new OperatorError([...new Set(mistakes)]);
  return parsed.data;
}
