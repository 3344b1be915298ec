import { newApiKey, SCOPES } from '@orders/http-adapter';
import { type Database, distribute, openDatabase, postgresApiKeys } from '@orders/persistence';
import { Client } from 'pg';

/** The tables of Orders in a database of the user, for the time of a measurement. */
export interface BenchTables {
  /** Where the database is, its release, and whether it is distributed. */
  readonly title: string;
  /** Creates an API key for each owner. */
  issueKeys(owners: readonly string[]): Promise<readonly string[]>;
  /** Drops everything that the measurement created. */
  drop(): Promise<void>;
}

/** Names everything in the schema that no extension created. */
const OBJECTS = `
  select 'table' as kind, c.oid::regclass::text as name from pg_class as c
  where c.relnamespace = to_regnamespace('orders') and c.relkind in ('r', 'p')
    and not exists (select from pg_depend as d where d.objid = c.oid and d.deptype = 'e')
  union all
  select 'function', p.oid::regprocedure::text from pg_proc as p
  where p.pronamespace = to_regnamespace('orders')
    and not exists (select from pg_depend as d where d.objid = p.oid and d.deptype = 'e')`;

/**
 * Creates the tables of Orders, and distributes them if the database has the extension Citus.
 *
 * @throws {Error} the database is not empty, because everything in it is dropped afterwards
 */
export async function createBenchTables(url: string): Promise<BenchTables> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const database = openDatabase({ url });
  const close = async () => {
    await database.close();
    await client.end();
  };
  try {
    const { host, pathname } = new URL(url);
    if ((await objectsOf(client)).length > 0) {
      throw new Error(`${host}${pathname} is not empty: name a database without tables and functions`);
    }
    const drop = async () => {
      for (const { kind, name } of await objectsOf(client))
        await client.query(`drop ${kind} if exists ${name} cascade`);
      await close();
    };
    try {
      await database.migrate();
      const nodes = await distributedOver(client, database);
      const { rows } = await client.query<{ readonly server_version: string }>('show server_version');
      const release = `PostgreSQL ${rows[0]?.server_version.replace(/ .*/, '') ?? ''}`;
      return {
        title: `${host}${pathname}, ${release}${nodes === 0 ? '' : `, Citus with ${nodes} nodes of shards`}`,
        issueKeys: (owners) => Promise.all(owners.map((owner) => issueKey(database, owner))),
        drop,
      };
    } catch (cause) {
      await drop();
      throw cause;
    }
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function objectsOf(client: Client): Promise<readonly { readonly kind: string; readonly name: string }[]> {
  const { rows } = await client.query<{ kind: string; name: string }>(OBJECTS);
  return rows;
}

/** Distributes the tables if the database has the extension. Returns the number of nodes with shards. */
async function distributedOver(client: Client, database: Database): Promise<number> {
  const { rows } = await client.query(`select from pg_extension where extname = 'citus'`);
  if (rows.length === 0) return 0;
  await distribute(database);
  const nodes = await client.query<{ readonly count: string }>(
    `select count(distinct (nodename, nodeport)) as count from citus_shards`,
  );
  return Number(nodes.rows[0]?.count);
}

async function issueKey(database: Database, owner: string): Promise<string> {
  const { key, prefix, hash } = newApiKey();
  const created_at = new Date().toISOString();
  const values = { keyHash: hash, prefix, owner, scopes: SCOPES, created_at, expires_at: null };
  const inserted = await postgresApiKeys(database).insert(values);
  if (inserted.isErr()) throw inserted.error.cause;
  return key;
}
