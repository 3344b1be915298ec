import { createServer } from 'node:net';
import { join } from 'node:path';
import { openDatabase } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { type Given, readConfig } from '../../src/config/config.ts';
import { validateTlsFiles } from '../../src/config/tls.ts';
import { listenAnywhere } from '../programs/ports.ts';
import { aDataDir, aFolder, run } from '../programs/running-server.ts';

const SECRET = 'hunter2';
/** A valid signing key. */
const KEY = Buffer.alloc(32, SECRET).toString('base64');

/** Invalid environments, and the expected error of each variable. */
const MISTAKES: readonly (readonly [Readonly<Record<string, string>>, readonly string[]])[] = [
  [{ PORT: 'abc' }, ['PORT: must be an integer from 0 to 65535']],
  [{ PORT: '65536' }, ['PORT: must be an integer from 0 to 65535']],
  [{ PORT: '-1' }, ['PORT: must be an integer']],
  [{ LOG_LEVEL: 'loud' }, ['LOG_LEVEL: must be one of']],
  [{ PUBLIC_BASE_URL: 'example.com' }, ['PUBLIC_BASE_URL: must be an http or https URL']],
  [
    { PUBLIC_BASE_URL: `https://u:${SECRET}@example.com` },
    ['PUBLIC_BASE_URL: must be an http or https URL without user info, query or fragment\n'],
  ],
  [{ PUBLIC_BASE_URL: `https://example.com/?key=${SECRET}` }, ['PUBLIC_BASE_URL: must be an http or https URL']],
  [{ PUBLIC_BASE_URL: `https://example.com/#${SECRET}` }, ['PUBLIC_BASE_URL: must be an http or https URL']],
  [{ DATABASE_URL: 'orders' }, ['DATABASE_URL: must be a PostgreSQL URL']],
  [{ DATABASE_URL: `mysql://u:${SECRET}@127.0.0.1/x` }, ['DATABASE_URL: must be a PostgreSQL URL']],
  [
    { DATABASE_REPLICA_URLS: `postgres://r1/x,ftp://u:${SECRET}@r2` },
    ['DATABASE_REPLICA_URLS: must be PostgreSQL URLs'],
  ],
  [{ CORS_ORIGINS: 'https://shop.example.com,https://example.com/shop' }, ['CORS_ORIGINS: must be origins, such as']],
  [{ CORS_ORIGINS: '*' }, ['CORS_ORIGINS: must be origins']],
  [{ CORS_ORIGINS: 'shop.example.com' }, ['CORS_ORIGINS: must be origins']],
  [{ CORS_ORIGINS: `https://u:${SECRET}@example.com` }, ['CORS_ORIGINS: must be origins']],
  [{ DATABASE_PREPARED_STATEMENTS: 'yes' }, ['DATABASE_PREPARED_STATEMENTS: must be on or off']],
  [{ TRUST_PROXY: 'true' }, ['TRUST_PROXY: must be IP addresses or CIDR blocks of proxies']],
  [{ TRUST_PROXY: '10.0.0.0/8,10.0.0.0/33' }, ['TRUST_PROXY: must be IP addresses or CIDR blocks']],
  [{ TRUST_PROXY: 'loopback' }, ['TRUST_PROXY: must be IP addresses or CIDR blocks']],
  [{ REDIS_URL: `http://u:${SECRET}@127.0.0.1` }, ['REDIS_URL: must be a Redis URL']],
  [{ REDIS_URL: `redis://u:${SECRET}@127.0.0.1/orders` }, ['REDIS_URL: must be a Redis URL']],
  [{ RATE_LIMIT_READ: '-1' }, ['RATE_LIMIT_READ: must be an integer from 0']],
  [
    { RATE_LIMIT_WRITE: '1e3', RATE_LIMIT_ANONYMOUS: 'none' },
    ['RATE_LIMIT_WRITE: must be', 'RATE_LIMIT_ANONYMOUS: must be'],
  ],
  [
    { AUTH_JWT_ISSUER: 'https://issuer.example.com' },
    [
      'AUTH_JWT_JWKS_URL: must be set when AUTH_JWT_ISSUER is',
      'AUTH_JWT_AUDIENCE: must be set when AUTH_JWT_ISSUER is',
    ],
  ],
  [
    { AUTH_JWT_OWNER_CLAIM: 'client_id' },
    ['AUTH_JWT_JWKS_URL: must be set when', 'AUTH_JWT_ISSUER: must be set when', 'AUTH_JWT_AUDIENCE: must be set when'],
  ],
  [
    { AUTH_JWT_JWKS_URL: 'http://issuer.example.com/jwks', AUTH_JWT_ISSUER: 'i', AUTH_JWT_AUDIENCE: 'a' },
    ['AUTH_JWT_JWKS_URL: must be an https URL, or an http URL of this machine'],
  ],
  [
    { AUTH_JWT_JWKS_URL: `https://u:${SECRET}@example.com/jwks`, AUTH_JWT_ISSUER: 'i', AUTH_JWT_AUDIENCE: 'a' },
    ['AUTH_JWT_JWKS_URL: must be an https URL, or an http URL of this machine, without a user or password'],
  ],
  [
    { TLS_CERT_FILE: '/nowhere.pem' },
    ['TLS_KEY_FILE: must be set when TLS_CERT_FILE is set', 'TLS_CERT_FILE: /nowhere.pem cannot be used: ENOENT'],
  ],
  [
    { TLS_CLIENT_CA_FILE: '/nowhere.pem' },
    [
      'TLS_CERT_FILE: must be set when TLS_CLIENT_CA_FILE is',
      'TLS_KEY_FILE: must be set when',
      'TLS_CLIENT_CA_FILE: /nowhere.pem cannot be used: ENOENT',
    ],
  ],
  [
    { TLS_CERT_FILE: '/nowhere.pem', TLS_KEY_FILE: import.meta.filename, TLS_CLIENT_CA_FILE: import.meta.filename },
    [
      'TLS_CERT_FILE: /nowhere.pem cannot be used: ENOENT',
      `TLS_KEY_FILE: ${import.meta.filename} cannot be used`,
      `TLS_CLIENT_CA_FILE: ${import.meta.filename} cannot be used`,
    ],
  ],
  [{ EVENT_RETENTION_DAYS: '0' }, ['EVENT_RETENTION_DAYS: must be an integer from 1 to 3650']],
  [
    { EVENT_RETENTION_DAYS: '1', IDEMPOTENCY_TTL_HOURS: '25' },
    ['EVENT_RETENTION_DAYS: must be at least IDEMPOTENCY_TTL_HOURS, 25 hours'],
  ],
  [{ IDEMPOTENCY_TTL_HOURS: '721' }, ['EVENT_RETENTION_DAYS: must be at least IDEMPOTENCY_TTL_HOURS, 721 hours']],
  [{ HISTORY_RETENTION_DAYS: '29' }, ['HISTORY_RETENTION_DAYS: must be 0 or at least EVENT_RETENTION_DAYS, 30 days']],
  [{ DATABASE_SCHEMA: 'pg_orders' }, ['DATABASE_SCHEMA: must be 1 to 63 characters from a-z, 0-9 and _']],
  [{ WEBHOOKS: 'yes' }, ['WEBHOOKS: must be on, api or off']],
  [
    { WEBHOOKS: 'on', DATABASE_URL: 'postgresql://db/orders' },
    ['WEBHOOK_SIGNING_KEYS: must be set when WEBHOOKS is not off and DATABASE_URL is set'],
  ],
  [{ WEBHOOK_SIGNING_KEYS: `${KEY},${SECRET}` }, ['WEBHOOK_SIGNING_KEYS: must be different keys of 32 to 512']],
  [{ WEBHOOK_SIGNING_KEYS: `${KEY},${KEY}` }, ['WEBHOOK_SIGNING_KEYS: must be different keys of 32 to 512']],
  [{ WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8,intranet' }, ['WEBHOOK_ALLOW_CIDRS: must be IP addresses or CIDR blocks']],
  [{ WEBHOOK_DENY_CIDRS: '10.0.0.0/40' }, ['WEBHOOK_DENY_CIDRS: must be IP addresses or CIDR blocks']],
  [
    { WEBHOOKS: 'on', DATABASE_URL: 'postgresql://db/orders', WEBHOOK_ALLOW_CIDRS: '*', PORT: 'abc' },
    ['PORT: must be', 'WEBHOOK_ALLOW_CIDRS: must be'],
  ],
  [{ NODE_ENV: 'production' }, ['DATABASE_URL: must be set when NODE_ENV is production']],
  [
    { PORT: 'abc', NODE_ENV: 'production', BODY_LIMIT_BYTES: '1.5', STATEMENT_TIMEOUT_MS: '', CORS_ORIGINS: 'null' },
    ['PORT: must be', 'DATABASE_URL: must be set', 'BODY_LIMIT_BYTES: must be', 'CORS_ORIGINS: must be'],
  ],
];

/** Environments that a server rejects at start-up: with errors of every kind, or with unusable values. */
const UNUSABLE: typeof MISTAKES = [
  [
    { PORT: 'abc', TLS_CERT_FILE: '/nowhere.pem', TLS_KEY_FILE: import.meta.filename },
    ['PORT: must be', 'TLS_CERT_FILE: /nowhere.pem cannot be used', 'TLS_KEY_FILE: '],
  ],
  [
    { PORT: 'abc', ORDERS_DEFINITION: '/nowhere.json' },
    ['PORT: must be', 'ORDERS_DEFINITION: /nowhere.json: cannot be read: ENOENT'],
  ],
  [
    { DATABASE_URL: `postgresql://orders:${SECRET}@127.0.0.1:1/orders` },
    ['cannot use DATABASE_URL: the database 127.0.0.1:1/orders: connect ECONNREFUSED 127.0.0.1:1'],
  ],
  [{ DATA_DIR: '/dev/null/data' }, ['cannot use DATA_DIR /dev/null/data']],
  [{ HOST: '192.0.2.1' }, ['HOST: 192.0.2.1 is not an address of this machine']],
];

function rejectionOf(environment: Given): Error {
  try {
    readConfig(environment, validateTlsFiles);
  } catch (cause) {
    if (cause instanceof Error) return cause;
  }
  throw new Error('a valid environment is accepted');
}

describe('the retention times', () => {
  it('may be equal, and the history unlimited', () => {
    const equal = { IDEMPOTENCY_TTL_HOURS: '48', EVENT_RETENTION_DAYS: '2', HISTORY_RETENTION_DAYS: '2' };
    expect(readConfig(equal)).toMatchObject({ EVENT_RETENTION_DAYS: 2, HISTORY_RETENTION_DAYS: 2 });
    expect(readConfig({})).toMatchObject({ EVENT_RETENTION_DAYS: 30, HISTORY_RETENTION_DAYS: 0 });
  });
});

describe('an invalid environment', () => {
  it.each(MISTAKES)('is rejected with all of its errors, by variable: %j', (environment, expected) => {
    const { name, message } = rejectionOf(environment);
    expect(name).toBe('OperatorError');
    for (const fault of expected) expect(`${message}\n`).toContain(fault);
    expect(message.trim().split('\n')).toHaveLength(expected.length);
    expect(message).not.toContain(SECRET);
    expect(message).not.toContain(KEY);
  });

  it.each(UNUSABLE)('ends the server at once, with its errors printed: %j', async (environment, expected) => {
    const dataDir = join(await aFolder(), 'data');
    const { code, stdout, stderr } = await run('main.ts', { PORT: '0', DATA_DIR: dataDir, ...environment }).finished;
    expect(code).toBe(1);
    for (const fault of expected) expect(stderr).toContain(fault);
    expect(stderr.trim().split('\n')).toHaveLength(1 + expected.length);
    expect(stdout + stderr).not.toMatch(/^ +at /m);
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it('prints a misspelt variable on standard error, without its value', async () => {
    const environment = { PORT: 'abc', DATABSE_URL: `postgresql://u:${SECRET}@db/orders` };
    const { code, stdout, stderr } = await run('main.ts', environment).finished;
    expect(code).toBe(1);
    expect(stderr).toContain('DATABSE_URL is unknown; did you mean DATABASE_URL?\n');
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it('includes a port that is in use', async () => {
    const other = createServer();
    const port = await listenAnywhere(other);
    const environment = { PORT: `${port}`, DATA_DIR: await aDataDir() };
    const { code, stderr } = await run('main.ts', environment).finished;
    other.close();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `orders cannot continue:\n  PORT: port ${port} on 127.0.0.1 is in use; stop the other program or choose another port\n`,
    );
  });
});

describe('the name of the schema of the tables', () => {
  const open = (schema: string) => openDatabase({ url: 'postgresql://127.0.0.1:1/x', schema });

  it.each(['orders', '_2', 'a'.repeat(63)])('is one for the server and for openDatabase: %s', async (schema) => {
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
