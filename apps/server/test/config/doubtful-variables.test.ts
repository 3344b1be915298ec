import { describe, expect, it } from 'vitest';
import { doubtfulVariables } from '../../src/config/doubtful-variables.ts';

const SECRET = 'hunter2';

describe('a misspelt variable', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['DTABSE_URL', 'DATABASE_URL'],
    ['PROT', 'PORT'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['TRUST_PROXIES', undefined],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['SHUTDOWN_DELAY', 'SHUTDOWN_DELAY_MS'],
    ['DB_URL', 'DATABASE_URL'],
  ])('%s suggests %s', (name, suggestion) => {
    const found = doubtfulVariables({ [name]: SECRET });
    expect(found).toEqual(suggestion === undefined ? [] : [`${name} is unknown; did you mean ${suggestion}?`]);
  });

  it('is pointed out also when the similar variable is set, which an empty one is not', () => {
    const doubts = [`DB_URL is unknown; did you mean DATABASE_URL, which is set, too?`];
    expect(doubtfulVariables({ DB_URL: SECRET, DATABASE_URL: SECRET })).toEqual(doubts);
    const unset = [`DB_URL is unknown; did you mean DATABASE_URL?`];
    expect(doubtfulVariables({ DB_URL: SECRET, DATABASE_URL: '' })).toEqual(unset);
  });

  it.each([
    'HOSTNAME PATH HOME SHELL USER LOGNAME LANG LC_ALL PWD OLDPWD TERM TZ MAIL EDITOR TMPDIR _ SHLVL DISPLAY COLUMNS',
    'PORTS POST HOSTS GHOST COST SORT HOSTTYPE NODE_PATH NODE_OPTIONS NODE_VERSION NODE_COMPILE_CACHE NO_COLOR CI INIT_CWD',
    'PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB POSTGRES_URL',
    'DATABASE_NAME DATABASE_HOST DATABASE_PORT DATABASE_USER DATABASE_PASSWORD DATABASE_URL_2 DATABASE_URL_TEST',
    'TEST_DATABASE_URL REDIS_HOST REDIS_PORT REDIS_PASSWORD KUBERNETES_SERVICE_HOST KUBERNETES_PORT HTTP_PROXY NO_PROXY',
    'OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_HEADERS OTEL_BLRP_SCHEDULE_DELAY OTEL_LOGS_EXPORTER',
    'OTEL_METRICS_EXPORTER OTEL_EXPORTER_OTLP_LOGS_ENDPOINT OTEL_EXPORTER_OTLP_METRICS_ENDPOINT OTEL_BLRP_MAX_QUEUE_SIZE',
    'SSL_CERT_FILE SSL_CERT_DIR TLS_CA_FILE XDG_DATA_DIRS XDG_DATA_HOME npm_config_registry npm_lifecycle_event',
  ])('is not one of %s', (names) => {
    expect(doubtfulVariables(Object.fromEntries(names.split(' ').map((name) => [name, SECRET])))).toEqual([]);
  });
});

it('an unknown NODE_ENV counts as production, and is pointed out', () => {
  const doubtOf = (NODE_ENV: string) => doubtfulVariables({ NODE_ENV });
  expect(doubtOf('prod')).toEqual([
    'NODE_ENV is "prod", which counts as production; the known words are development, test, production',
  ]);
  expect(['development', 'test', 'production', ''].flatMap(doubtOf)).toEqual([]);
});
