import { err, ok, type Result } from 'neverthrow';

const RULE = 'must be a PostgreSQL URL, postgresql://user:password@host:port/database';

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The variables for what other programs read from the URL. */
const INSTEAD = {
  schema: 'DATABASE_SCHEMA',
  currentSchema: 'DATABASE_SCHEMA',
  connection_limit: 'DATABASE_POOL_MAX',
  pool_size: 'DATABASE_POOL_MAX',
  pgbouncer: 'DATABASE_PREPARED_STATEMENTS',
  prepareThreshold: 'DATABASE_PREPARED_STATEMENTS',
} as const;

/**
 * Reads the URL of a PostgreSQL database as other programs write it, and returns the one that `pg` reads. A driver in the scheme
 * is left out (SQLAlchemy), and the host may be a parameter alone (Cloud SQL). Each `sslmode` with TLS verifies the
 * certificate, as `pg` 8 does with a warning, unless `uselibpqcompat` or `no-verify` says otherwise.
 */
export function readDatabaseUrl(text: string): Result<string, string> {
  const url = text
    .replace(/^postgres(ql)?(\+\w+)?:/i, 'postgresql:')
    .replace(/^(postgresql:\/\/[^/?#]*@)(?=[/?]|$)/, '$1localhost');
  const [, authority = ''] = /^postgresql:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url) ?? [];
  if (authority.includes(','))
    return err('must have one host, at which the primary is found; standbys are for DATABASE_REPLICA_URLS');
  if (!url.startsWith('postgresql:')) return err(RULE);
  if (!URL.canParse(url)) return err(`${RULE}, with special characters of user and password as %XX`);
  const { searchParams } = new URL(url);
  const mode = searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode))
    return err(`must have one of these as sslmode: ${SSL_MODES.join(', ')}`);
  if (searchParams.has('uselibpqcompat')) return ok(url);
  return ok(url.replace(/(?<=[?&]sslmode=)(allow|prefer|require|verify-ca)(?=&|$)/, 'verify-full'));
}

/** Returns what to append to the reason why a connection failed. TLS is the part of the URL that others read otherwise. */
export function tlsAdvice(reason: string): string {
  if (/does not support SSL/.test(reason)) return '; without TLS, write sslmode=disable';
  if (!/certificate/.test(reason)) return '';
  return '; append sslrootcert=FILE with the CA of the server, or sslmode=no-verify, by which anyone between can read all';
}

/** Returns a sentence for each parameter of a database's URL that has no effect, and the variable that has. */
export function ignoredParameters({ DATABASE_URL = '', ...environment }: Readonly<Record<string, string | undefined>>) {
  const given = readDatabaseUrl(DATABASE_URL).map((url) => new URL(url).searchParams);
  return Object.entries(INSTEAD).flatMap(([name, variable]) =>
    given.isOk() && given.value.has(name) && (environment[variable] ?? '') === ''
      ? [`DATABASE_URL has ${name}, which has no effect; set ${variable} instead`]
      : [],
  );
}
