import { isOrigin, RATE_LIMITS_DEFAULT } from '@orders/http-adapter';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { StartupError } from './startup-error.ts';

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

/** Where tokens' keys may come from: not over a wire that others can write to. */
const keySource = z.string().refine(
  (value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, hostname } = new URL(value);
    return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname));
  },
  { error: 'must be an https URL, or an http URL of this machine' },
);

const DAY_MS = 24 * 60 * 60 * 1000;

/** The environment variables of the server: what each may be and what it is when absent. */
const ENVIRONMENT = z.object({
  NODE_ENV: z.string().optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: whole(0, 65_535).default(3000),
  PUBLIC_BASE_URL: urlOf(['http:', 'https:'], 'must be an http or https URL').optional(),
  TRUST_PROXY: list.refine((proxies) => proxies.every((proxy) => ipaddr.isValid(proxy) || ipaddr.isValidCIDR(proxy)), {
    error: 'must be addresses or CIDRs of proxies, such as 10.0.0.0/8, with a comma between them',
  }),
  CORS_ORIGINS: list.refine((origins) => origins.every(isOrigin), {
    error: 'must be origins, such as https://shop.example.com, with a comma between them',
  }),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_REPLICA_URLS: list.refine((urls) => urls.every((url) => databaseUrl.safeParse(url).success), {
    error: 'must be PostgreSQL URLs with a comma between them',
  }),
  DATABASE_PREPARED_STATEMENTS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  DATABASE_POOL_MAX: whole(1, 1000).default(10),
  STATEMENT_TIMEOUT_MS: whole(1, DAY_MS).default(10_000),
  DATA_DIR: z.string().default('.data'),
  REDIS_URL: urlOf(['redis:', 'rediss:'], 'must be a Redis URL, redis://user:password@host:port').optional(),
  RATE_LIMIT_READ: whole(0, 1_000_000_000).default(RATE_LIMITS_DEFAULT.read),
  RATE_LIMIT_WRITE: whole(0, 1_000_000_000).default(RATE_LIMITS_DEFAULT.write),
  RATE_LIMIT_ANONYMOUS: whole(0, 1_000_000_000).default(RATE_LIMITS_DEFAULT.anonymous),
  AUTH_JWT_JWKS_URL: keySource.optional(),
  AUTH_JWT_ISSUER: z.string().optional(),
  AUTH_JWT_AUDIENCE: z.string().optional(),
  AUTH_JWT_OWNER_CLAIM: z.string().default('sub'),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  TLS_CLIENT_CA_FILE: z.string().optional(),
  IDEMPOTENCY_TTL_HOURS: whole(1, 24 * 365).default(24),
  OUTBOX_RETENTION_DAYS: whole(1, 3650).default(30),
  BODY_LIMIT_BYTES: whole(1, 2 ** 30).default(1024 * 1024),
  URL_LIMIT_BYTES: whole(1, 16 * 1024).default(8 * 1024),
  REQUEST_TIMEOUT_MS: whole(1, DAY_MS).default(30_000),
  SHUTDOWN_GRACE_MS: whole(0, DAY_MS).default(10_000),
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
 * @throws {StartupError} naming every variable that is wrong
 */
export function readConfig(environment: Given, judgeFiles: (given: Given) => readonly string[] = () => []): Config {
  const given: Given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = ENVIRONMENT.safeParse(given);
  const mistakes = parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  if (given['NODE_ENV'] === 'production' && given['DATABASE_URL'] === undefined) {
    mistakes.push('DATABASE_URL: must be set when NODE_ENV is production');
  }
  mistakes.push(...TOGETHER.flatMap((names) => missing(names, given)), ...judgeFiles(given));
  if (!parsed.success || mistakes.length > 0) throw new StartupError([...new Set(mistakes)]);
  return parsed.data;
}
