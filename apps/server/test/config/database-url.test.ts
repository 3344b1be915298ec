import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { ignoredParameters, tlsAdvice } from '../../src/config/database-url.ts';
import { describeDatabase } from '../../src/database/store.ts';

describe('a DATABASE_URL as other programs write it', () => {
  it.each([
    ['postgresql+asyncpg://u:p@db/x', 'postgresql://u:p@db/x'],
    ['postgres+psycopg2://u:p@db/x', 'postgresql://u:p@db/x'],
    ['postgres://db/x?schema=public&pgbouncer=true', 'postgresql://db/x?schema=public&pgbouncer=true'],
    ['postgresql://db/x?sslmode=require&channel_binding=a', 'postgresql://db/x?sslmode=verify-full&channel_binding=a'],
    ['postgresql://db/x?a=b&sslmode=prefer', 'postgresql://db/x?a=b&sslmode=verify-full'],
    ['postgresql://db/x?sslmode=disable', 'postgresql://db/x?sslmode=disable'],
    ['postgresql://db/x?sslmode=no-verify', 'postgresql://db/x?sslmode=no-verify'],
    ['postgresql://db/x?uselibpqcompat=true&sslmode=require', 'postgresql://db/x?uselibpqcompat=true&sslmode=require'],
    ['postgresql://u:p@/x?host=/cloudsql/a:b:db', 'postgresql://u:p@localhost/x?host=/cloudsql/a:b:db'],
  ])('is read: %s', (given, url) => {
    const config = readConfig({ DATABASE_URL: given, DATABASE_REPLICA_URLS: given });
    expect([config.DATABASE_URL, config.DATABASE_REPLICA_URLS]).toEqual([url, [url]]);
    expect(describeDatabase(config)).toMatch(/^DATABASE_URL: the database (db|\/cloudsql\/a:b:db)\/x$/);
  });

  it.each([
    ['postgresql://u:p@a:5432,b:5432/x?target_session_attrs=read-write', 'must have one host'],
    ['postgresql://a,b/x', 'must have one host'],
    ['postgresql://u:p@db/x?sslmode=on', 'must have one of these as sslmode'],
    ['postgresql://u:a#b@db/x', 'special characters of user and password as %XX'],
    ['jdbc:postgresql://db/x', 'must be a PostgreSQL URL'],
    ['"postgresql://u:p@db/x"', 'must be a PostgreSQL URL'],
    ['host=db dbname=x', 'must be a PostgreSQL URL'],
  ])('is rejected with the reason: %s', (DATABASE_URL, reason) => {
    expect(() => readConfig({ DATABASE_URL })).toThrow(reason);
  });
});

it('a parameter of DATABASE_URL without effect is pointed out with the variable that has it, unless that is set', () => {
  const DATABASE_URL = 'postgresql://db/x?pgbouncer=true&schema=shop&connection_limit=1';
  expect(ignoredParameters({ DATABASE_URL, DATABASE_SCHEMA: 'shop', DATABASE_POOL_MAX: '' })).toEqual([
    'DATABASE_URL has connection_limit, which has no effect; set DATABASE_POOL_MAX instead',
    'DATABASE_URL has pgbouncer, which has no effect; set DATABASE_PREPARED_STATEMENTS instead',
  ]);
});

it.each([
  ['self-signed certificate in certificate chain', /sslrootcert=FILE/],
  ['The server does not support SSL connections', /sslmode=disable/],
  ['password authentication failed', /^$/],
])('a connection that fails by TLS says how to go on: %s', (reason, advice) => {
  expect(tlsAdvice(reason)).toMatch(advice);
});
