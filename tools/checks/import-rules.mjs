/**
 * What the sources of each package may import beside their own folder, for tools/checks/check-imports.mjs. A row is a file
 * or folder of src, or a file of a folder that is apart from the rest of it. `*.ts` is the row of the files at the top that
 * have none, and `*` is what every row may. `./` begins a file or folder of the same src, and `*` in a name matches anything.
 */
export const MAY_IMPORT = {
  // In the middle: values, rules and ports, without a framework, input or output.
  'packages/domain/src': {
    '*': 'neverthrow ./shared',
    shared: '',
    aggregates: '',
    customers: './aggregates',
    orders: './aggregates ./customers',
    erasures: './aggregates ./customers ./orders',
    'webhooks/endpoint-kind.ts': './aggregates',
    'event-types.ts': './aggregates ./customers ./orders ./webhooks/endpoint-kind.ts',
    // An endpoint is a resource of the feed, and webhooks are made of the feed.
    'webhooks/webhook-endpoint.ts': './event-types.ts ./orders',
    events: './customers ./event-types.ts ./orders ./webhooks/webhook-endpoint.ts',
    statistics: './orders',
    timeline: './orders ./webhooks',
    'bind-ports.ts': './orders',
    webhooks: './aggregates ./bind-ports.ts ./customers ./event-types.ts ./events ./orders ./statistics ./webhooks/*',
    '*.ts': './*.ts ./aggregates ./customers ./erasures ./events ./orders ./statistics ./timeline ./webhooks*',
    // What the tests of adapters use.
    testing: './*',
    'testing.ts': './aggregates ./testing',
  },
  // For browsers too, and for users who install nothing else; embedded, beside a domain, it sends nothing. What sends
  // requests, and what every call has, knows no operation.
  'packages/client/src': {
    '*': 'neverthrow',
    generated: '',
    calls: './errors.ts ./generated ./options.ts',
    transport: './calls ./errors.ts ./options.ts',
    embedded: './*.ts ./calls @orders/domain @orders/domain/events @orders/domain/statistics @orders/domain/webhooks',
    '*.ts': './*.ts ./calls ./generated ./transport',
  },
  // The stages that a request passes, and their helpers. Every stage may import the four files after them.
  'packages/http-adapter/src': {
    '*': `@orders/domain @orders/domain/events @orders/domain/statistics @orders/domain/operators @orders/domain/webhooks fastify neverthrow node:*
      ./value-or-promise.ts ./hidden-characters.ts ./intrusive-set.ts ./observer.ts ./principal.ts ./request-state.ts`,
    openapi: './admission ./api ./problems ./request typebox',
    api: './problems ./request ./response fast-json-stringify typebox',
    response: './connection ./problems ./request',
    request: './connection ./problems negotiator',
    // A listener of its own, with the same stages.
    operator: './* jose typebox',
    public: './problems ./request @fastify/swagger-ui/package.json negotiator',
    admission: './connection ./logging ./problems ipaddr.js jose',
    connection: './problems',
    problems: './logging',
    logging: '',
    'value-or-promise.ts': '',
    'hidden-characters.ts': '',
    'intrusive-set.ts': '',
    'observer.ts': '',
    'principal.ts': '',
    'request-state.ts': '',
    '*.ts': './*.ts ./admission ./api ./connection ./logging ./openapi ./operator ./problems ./public ./request',
  },
  // From the connections up to the steps over all owners.
  'packages/persistence/src': {
    '*': '@orders/domain neverthrow node:* ./postgres ./tables',
    postgres: '@orders/domain/events @orders/domain/runtime pg',
    tables: '@mikro-orm/postgresql @orders/domain/events @orders/domain/webhooks kysely',
    transaction: '@orders/domain/runtime ./sql @mikro-orm/postgresql kysely pg',
    database: '@orders/domain/runtime ./transaction pg',
    owners: './database ./sql',
    writes: './sql',
    // What operators do, who have no owner: the one place of statements over several.
    admin: `./database ./events ./orders ./owners ./sql ./statistics ./transaction ./webhooks ./writes
      @orders/domain/events @orders/domain/runtime @orders/domain/operators @orders/domain/statistics @orders/domain/webhooks`,
    'api-keys': './admin ./database ./sql',
    'client-certificates': './admin ./database ./sql',
    definitions: './database @orders/domain/runtime',
    doctor: './database',
    customers: './database ./sql ./writes',
    orders: './database ./sql ./writes',
    // As in the domain: endpoints are in the feed, and webhooks are made of it.
    'webhooks/endpoint-kind.ts': './writes @orders/domain/webhooks',
    'aggregate-kinds.ts': './customers ./orders ./webhooks/endpoint-kind.ts ./writes',
    events: `./database ./aggregate-kinds.ts ./owners ./sql ./transaction ./writes
      @orders/domain/events`,
    webhooks: `./database ./events ./owners ./sql ./webhooks/* ./writes
      @orders/domain/events @orders/domain/webhooks`,
    statistics: './database ./events ./sql @orders/domain/events @orders/domain/statistics',
    purge: './admin ./aggregate-kinds.ts ./database ./events ./owners ./sql ./webhooks @orders/domain/webhooks',
    erasures: './database ./events ./owners ./sql @orders/domain/events',
    migration: `@orders/domain/events ./database ./events ./aggregate-kinds.ts ./sql ./statistics ./webhooks ./writes pg`,
    embedded: '(computed) pg',
    '*.ts': './* @orders/domain/runtime @orders/domain/webhooks',
  },
  'packages/webhooks/src': {
    '*': '@orders/domain @orders/domain/events @orders/domain/webhooks neverthrow node:*',
    secrets: '',
    targets: 'ipaddr.js',
    sending: './secrets ./targets',
    worker: '',
    '*.ts': './secrets ./sending ./targets ./worker',
  },
  'apps/server/src': {
    '*': `@orders/domain @orders/domain/events @orders/domain/operators @orders/domain/webhooks @orders/http-adapter
      @orders/http-adapter/settings @orders/persistence @orders/webhooks fastify neverthrow node:* ./*.ts ./config`,
    config: 'ipaddr.js zod',
    files: '',
    definition: '@orders/domain/custom zod (computed)',
    database: '@orders/persistence/embedded',
    logging: 'pino pino-pretty',
    jobs: './database',
    instrumentation: '@opentelemetry/* prom-client ./jobs ./database',
    serving: '@orders/persistence/embedded @redis/client ./jobs ./database ./instrumentation ./logging',
    commands:
      '@orders/client commander csv-parse csv-stringify/sync string-width zod ./jobs ./database ./definition ./files ./instrumentation ./logging ./serving',
    '*.ts': '@fastify/under-pressure ./jobs ./commands ./definition ./instrumentation ./serving',
  },
  // In a browser: it knows the API by its document, and nothing of the server but the digits of currencies.
  'apps/console/src': {
    '*': 'react @tanstack/react-query @tanstack/react-router ./texts.ts ./api ./parts',
    'texts.ts': '',
    api: '../../generated/api.ts',
    parts: 'react-dom ../../../../packages/domain/src/shared/currencies.ts',
    pages: '',
    shell: '',
    'main.tsx': 'react-dom/client ./pages ./shell',
  },
  'tools/bundled-programs/src': { '*.ts': 'node:* rolldown' },
  'tools/child-processes/src': { '*.ts': 'node:* ./*.ts' },
  'tools/postgres-proxy/src': { '*.ts': 'node:* pg ./*.ts' },
  'tools/property-runs/src': { '*.ts': 'vitest' },
  // Programs that start servers, use them and fill their databases, from outside.
  'tools/system-under-test/src': {
    '*.ts': `@orders/child-processes @orders/http-adapter @orders/persistence @orders/persistence/embedded node:* pg
      ./*.ts`,
  },
  'tools/bench/src': {
    '*': `@orders/bundled-programs @orders/child-processes @orders/client @orders/persistence @orders/system-under-test
      node:* pg standardwebhooks zod ./*`,
  },
  'tools/chaos/src': {
    '*': `@orders/child-processes @orders/client @orders/property-runs/random @orders/system-under-test node:* ./*
      ../../../../packages/http-adapter/test/hostile/large-json.ts`,
  },
};

/** The only file that may import domain, HTTP and PostgreSQL together. */
export const COMPOSITION = {
  file: 'apps/server/src/compose.ts',
  together: ['@orders/domain', '@orders/http-adapter', '@orders/persistence'],
};
