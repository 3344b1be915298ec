import { openDatabase } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { type Given, readConfig } from '../../src/config/config.ts';
import { validateTlsFiles } from '../../src/config/tls.ts';
import { run } from '../programs/running-server.ts';

const SECRET = 'hunter2';
/** A valid signing key. */
const KEY = Buffer.alloc(32, SECRET).toString('base64');
const TOKENS = { AUTH_JWT_ISSUER: 'i', AUTH_JWT_AUDIENCE: 'a' };

/** Invalid environments, and the expected error of each variable. */
const MISTAKES: readonly (readonly [Given, readonly string[]])[] = [
  [{ PORT: '65536' }, ['PORT: must be an integer from 0 to 65535']],
  [{ LOG_LEVEL: 'loud' }, ['LOG_LEVEL: must be one of']],
  [{ PUBLIC_BASE_URL: `https://u:${SECRET}@example.com` }, ['PUBLIC_BASE_URL: must be an http or https URL without']],
  [{ DATABASE_URL: 'orders' }, ['DATABASE_URL: must be a PostgreSQL URL']],
  [{ DATABASE_URL: `mysql://u:${SECRET}@127.0.0.1/x` }, ['DATABASE_URL: must be a PostgreSQL URL']],
  [{ DATABASE_REPLICA_URLS: `postgres://r1/x,ftp://u:${SECRET}@r2` }, ['DATABASE_REPLICA_URLS: must be PostgreSQL']],
  [{ CORS_ORIGINS: `https://shop.example.com,https://u:${SECRET}@example.com` }, ['CORS_ORIGINS: must be origins']],
  [{ CORS_ORIGINS: '*' }, ['CORS_ORIGINS: must be origins']],
  [{ CORS_ORIGINS: 'https://example.com/shop' }, ['CORS_ORIGINS: must be origins']],
  [{ DATABASE_PREPARED_STATEMENTS: 'yes' }, ['DATABASE_PREPARED_STATEMENTS: must be on or off']],
  [{ TRUST_PROXY: '10.0.0.0/8,10.0.0.0/33' }, ['TRUST_PROXY: must be IP addresses or CIDR blocks of proxies']],
  [{ TRUST_PROXY: 'loopback' }, ['TRUST_PROXY: must be IP addresses or CIDR blocks']],
  [{ REDIS_URL: `http://u:${SECRET}@127.0.0.1` }, ['REDIS_URL: must be a Redis URL']],
  [{ REDIS_URL: `redis://u:${SECRET}@127.0.0.1/orders` }, ['REDIS_URL: must be a Redis URL']],
  [
    { RATE_LIMIT_WRITE: '1e3', RATE_LIMIT_ANONYMOUS: '-1' },
    ['RATE_LIMIT_WRITE: must be', 'RATE_LIMIT_ANONYMOUS: must be'],
  ],
  [
    { AUTH_JWT_OWNER_CLAIM: 'client_id' },
    ['AUTH_JWT_JWKS_URL: must be set when', 'AUTH_JWT_ISSUER: must be set when', 'AUTH_JWT_AUDIENCE: must be set when'],
  ],
  [{ ...TOKENS, AUTH_JWT_JWKS_URL: 'http://issuer.example.com/jwks' }, ['AUTH_JWT_JWKS_URL: must be an https URL, or']],
  [{ ...TOKENS, AUTH_JWT_JWKS_URL: `https://u:${SECRET}@example.com/jwks` }, ['AUTH_JWT_JWKS_URL: must be an https']],
  [
    { TLS_CLIENT_CA_FILE: '/nowhere.pem' },
    [
      'TLS_CERT_FILE: must be set when TLS_CLIENT_CA_FILE is',
      'TLS_KEY_FILE: must be set when',
      'cannot be used: ENOENT',
    ],
  ],
  [
    { TLS_CERT_FILE: '/nowhere.pem', TLS_KEY_FILE: import.meta.filename, TLS_CLIENT_CA_FILE: import.meta.filename },
    ['TLS_CERT_FILE: /nowhere.pem cannot be used: ENOENT', 'TLS_KEY_FILE: ', 'TLS_CLIENT_CA_FILE: '],
  ],
  [
    { EVENT_RETENTION_DAYS: '1', IDEMPOTENCY_TTL_HOURS: '25' },
    ['EVENT_RETENTION_DAYS: must be at least IDEMPOTENCY_TTL_HOURS, 25 hours'],
  ],
  [{ HISTORY_RETENTION_DAYS: '29' }, ['HISTORY_RETENTION_DAYS: must be 0 or at least EVENT_RETENTION_DAYS, 30 days']],
  [
    { WEBHOOKS: 'on', DATABASE_URL: 'postgresql://db/orders' },
    ['WEBHOOK_SIGNING_KEYS: must be set when WEBHOOKS is not off and DATABASE_URL is set'],
  ],
  [{ WEBHOOK_SIGNING_KEYS: `${KEY},${SECRET}` }, ['WEBHOOK_SIGNING_KEYS: must be different keys of 32 to 512']],
  [{ WEBHOOK_SIGNING_KEYS: `${KEY},${KEY}` }, ['WEBHOOK_SIGNING_KEYS: must be different keys of 32 to 512']],
  [
    { WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8,intranet', WEBHOOK_DENY_CIDRS: '10.0.0.0/40' },
    ['WEBHOOK_ALLOW_CIDRS: must be IP addresses or CIDR blocks', 'WEBHOOK_DENY_CIDRS: must be IP addresses'],
  ],
  [
    {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_TRACES_SAMPLER_ARG: '2',
    },
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https URL',
      'OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json',
      'OTEL_TRACES_SAMPLER: must be one of always_on, always_off, traceidratio',
      'OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1',
    ],
  ],
  [
    { STATEMENT_TIMEOUT_MS: '1000', LOCK_TIMEOUT_MS: '1001' },
    ['LOCK_TIMEOUT_MS: must be at most STATEMENT_TIMEOUT_MS, 1000'],
  ],
  [
    { PORT: 'abc', NODE_ENV: 'prod', BODY_LIMIT_BYTES: '1.5', STATEMENT_TIMEOUT_MS: '', CORS_ORIGINS: 'null' },
    ['PORT: must be', 'DATABASE_URL: must be set when NODE_ENV is prod', 'BODY_LIMIT_BYTES: ', 'CORS_ORIGINS: '],
  ],
];

function rejectionOf(environment: Given): Error {
  try {
    readConfig(environment, validateTlsFiles);
  } catch (cause) {
    if (cause instanceof Error) return cause;
  }
  throw new Error('a valid environment is accepted');
}

describe('an invalid environment', () => {
  it.each(MISTAKES)('is rejected with all of its errors, by variable: %j', (environment, expected) => {
    const { name, message } = rejectionOf(environment);
    expect(name).toBe('OperatorError');
    for (const fault of expected) expect(message).toContain(fault);
    expect(message.trim().split('\n')).toHaveLength(expected.length);
    expect(message).not.toContain(SECRET);
    expect(message).not.toContain(KEY);
  });

  it('ends the server at once, with its errors and misspelt variables printed without their values', async () => {
    const environment = {
      PORT: 'abc',
      TLS_CERT_FILE: '/nowhere.pem',
      TLS_KEY_FILE: import.meta.filename,
      ORDERS_DEFINITION: '/nowhere.ts',
      DATABSE_URL: `postgresql://u:${SECRET}@db/orders`,
    };
    const { code, stdout, stderr } = await run('main.ts', environment).finished;
    expect([code, stdout]).toEqual([1, 'Starting Orders …\n']);
    expect(stderr.trim().split('\n')).toEqual([
      'orders: PORT: must be an integer from 0 to 65535',
      expect.stringContaining('orders: TLS_CERT_FILE: /nowhere.pem cannot be used: ENOENT'),
      expect.stringContaining(`orders: TLS_KEY_FILE: ${import.meta.filename} cannot be used`),
      expect.stringContaining('orders: ORDERS_DEFINITION: /nowhere.ts: does not exist'),
      'orders: DATABSE_URL is unknown; did you mean DATABASE_URL?',
    ]);
    const checked = await run('cli.ts', environment, ['config', 'check']).finished;
    expect(checked).toEqual({ code: 1, stdout: '', stderr });
  });
});

it('a lock timeout follows a shorter statement timeout', () => {
  expect(readConfig({ STATEMENT_TIMEOUT_MS: '1000' }).LOCK_TIMEOUT_MS).toBe(1000);
});

it('retention times may be equal, and the history unlimited', () => {
  const equal = { IDEMPOTENCY_TTL_HOURS: '48', EVENT_RETENTION_DAYS: '2', HISTORY_RETENTION_DAYS: '2' };
  expect(readConfig(equal)).toMatchObject({ EVENT_RETENTION_DAYS: 2, HISTORY_RETENTION_DAYS: 2 });
  expect(readConfig({})).toMatchObject({ EVENT_RETENTION_DAYS: 30, HISTORY_RETENTION_DAYS: 0 });
});

describe('the name of the schema of the tables', () => {
  const open = (schema: string) => openDatabase({ url: 'postgresql://127.0.0.1:1/x', schema });

  it.each(['_2', 'a'.repeat(63)])('is one for the server and for openDatabase: %s', async (schema) => {
    expect(readConfig({ DATABASE_SCHEMA: schema }).DATABASE_SCHEMA).toBe(schema);
    await open(schema).close();
  });

  it.each(['a'.repeat(64), '2', 'Orders', 'a-b', 'a"b', 'pg_a', 'public', 'information_schema', 'x\n'])(
    'is none for the server and for openDatabase: %j',
    (schema) => {
      expect(() => readConfig({ DATABASE_SCHEMA: schema })).toThrow('DATABASE_SCHEMA: must be');
      expect(() => open(schema)).toThrow(TypeError);
    },
  );
});
