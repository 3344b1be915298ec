import { openDatabase, postgresOrderRepository } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { Client } from 'pg';
import { MEASURED_OWNER } from './scale-database.ts';
import type { Place } from './walk.ts';

/** Executions before a statement is explained. PostgreSQL decides after five whether it keeps a generic plan. */
const WARM_UP_EXECUTIONS = 10;
const LIMIT = 20;

/** Returns the number of buffers that PostgreSQL reads for one page of a list. */
export async function buffersOfPage(url: string, after: Place['after'] | null, offset: number): Promise<number> {
  const proxy = await startPostgresProxy(url);
  const database = openDatabase({ url: proxy.url, poolMax: 1 });
  try {
    const filter = { status: null, customer_id: null, reference: null };
    const query = { sort: '-created_at', limit: LIMIT, offset, after, ...filter } as const;
    const listed = await postgresOrderRepository(database).list(MEASURED_OWNER, query);
    if (listed.isErr()) throw listed.error.cause;
    const statement = proxy.statements.find(({ text }) => text.includes('orders'));
    if (!statement) throw new Error('a list sent no statement');
    return await countBuffers(url, statement);
  } finally {
    await database.close();
    await proxy.close();
  }
}

interface Statement {
  readonly text: string;
  readonly parameters: readonly (string | null)[];
}

async function countBuffers(url: string, { text, parameters }: Statement): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`prepare page as ${text}`);
    const values = parameters.map((value) => (value === null ? 'null' : client.escapeLiteral(value)));
    const execute = `execute page(${values.join(', ')})`;
    for (let count = 0; count < WARM_UP_EXECUTIONS; count += 1) await client.query(execute);
    const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Record<string, unknown> }] }>(
      `explain (analyze, buffers, format json) ${execute}`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    return Number(plan?.['Shared Hit Blocks']) + Number(plan?.['Shared Read Blocks']);
  } finally {
    await client.end();
  }
}
