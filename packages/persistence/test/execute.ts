import { Client } from 'pg';

/** The option of a session of a test, which finds the tables without the name of their schema. */
export const FINDS_TABLES = { options: '-c search_path=orders,public' };

/** Returns the URL for sessions that find a table which a test puts among ours as one of Citus. */
export function findingTables(url: string): string {
  return `${url}?options=${encodeURIComponent(FINDS_TABLES.options)}`;
}

/** Runs one statement on a connection of its own, which finds the tables without the name of their schema. */
export async function execute<Row extends object = Record<string, unknown>>(
  url: string,
  statement: string,
): Promise<Row[]> {
  const client = new Client({ connectionString: url, ...FINDS_TABLES });
  // A connection that is cut emits an error in addition to the rejection of its statement.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Row>(statement);
    return rows;
  } finally {
    await client.end();
  }
}
