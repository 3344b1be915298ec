import { Client } from 'pg';

/** Runs one statement on a connection of its own. */
export async function execute<Row extends object = Record<string, unknown>>(
  url: string,
  statement: string,
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
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
