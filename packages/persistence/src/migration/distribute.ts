import type { OpenedPools } from '../database/opened-pools.ts';
import type { OrdersDatabase } from '../database/database.ts';
import { functionDistributions } from './functions-migration.ts';
import type { Orm } from '../tables/orm.ts';
import type { Executor } from '../postgres/executor.ts';
import { isRetryable, isTableLockTimeout } from '../postgres/postgres-errors.ts';
import { retry } from '../postgres/retry.ts';
import { propertiesOf } from '../sql/columns.ts';
import { ENTITIES } from '../tables/entities.ts';
import { inSchema } from '../tables/schema.ts';

/**
 * Time for which the distribution waits for one table, in milliseconds. It is shorter than PostgreSQL's `deadlock_timeout`
 * of a second, after which a transaction fails that waits for a table of the distribution.
 */
const LOCK_TIMEOUT_MS = 500;

/** Maximum number of attempts to lock all tables. Together they last for about a minute. */
const ATTEMPTS = 100;

/** Options of {@link distribute}. */
export interface DistributeOptions {
  /** Number of shards of each table, from 1 to 1024. They move between nodes as a whole. Default: 32. */
  readonly shards?: number | undefined;
}

/** Default number of shards of each table. */
export const SHARDS_DEFAULT = 32;

/** Maximum number of shards of each table. */
export const SHARDS_MAX = 1024;

/**
 * Distributes the tables over the nodes of a Citus cluster by owner; `database` is its coordinator. Tables that are
 * distributed already stay as they are. Credentials stay on the coordinator, so that they can be changed while a worker
 * is down. Without Citus nothing changes.
 *
 * Either all tables are distributed or none. All requests wait in the meantime, ten seconds at most. Tables that other
 * transactions use are waited for, half a second at a time, so that these end first.
 *
 * @throws {RangeError} the number of shards is out of range
 * @throws {Error} others have used the tables for a minute, or a statement failed
 */
export async function distribute(
  database: OrdersDatabase,
  { shards = SHARDS_DEFAULT }: DistributeOptions = {},
): Promise<'distributed' | 'no_citus'> {
  if (!Number.isInteger(shards) || shards < 1 || shards > SHARDS_MAX)
    throw new RangeError(`shards must be a whole number from 1 to ${SHARDS_MAX}`);
  return await database.withoutTimeLimits((connected) => distributeTables(connected, shards));
}

async function distributeTables({ orm, primary }: OpenedPools, shards: number): Promise<'distributed' | 'no_citus'> {
  const citus = { text: `select from pg_available_extensions where name = 'citus'` };
  if ((await primary.execute(citus, [])).length === 0) return 'no_citus';
  await primary.run('create extension if not exists citus');
  const distributeAll = () =>
    primary.transaction(async (transaction) => {
      const tables = await localTables(transaction, orm);
      if (tables.length === 0) return;
      await transaction.run(inSchema(orm, lockOf(tables)));
      for (const table of tables) await transaction.run(inSchema(orm, distributionOf(table, shards)));
    });
  const isRepeatable = (cause: unknown) => isTableLockTimeout(cause) || isRetryable(cause);
  await retry(distributeAll, { attempts: ATTEMPTS, isRepeatable });
  // Citus distributes tables over several connections to each node, and functions over one, so that one transaction
  // cannot do both. Until then each statement of a function is sent to its node, which takes longer.
  for (const distribution of functionDistributions(orm)) await primary.run(inSchema(orm, distribution));
  return 'distributed';
}

/**
 * Returns the script that locks all tables before anything is read. The functions of webhooks lock queues first and
 * changes later. In the opposite order, each of them would wait for the distribution, which waits for it.
 */
function lockOf(tables: readonly string[]): string {
  const names = tables
    .toReversed()
    .map((table) => `our.${table}`)
    .join(', ');
  return `set local lock_timeout = ${LOCK_TIMEOUT_MS}; lock table ${names} in access exclusive mode; set local lock_timeout = 0`;
}

/**
 * Returns the tables whose primary key begins with the owner, those that others refer to first.
 *
 * @internal
 */
export function tenantTables(): readonly string[] {
  const tables = ENTITIES.filter((entity) =>
    propertiesOf(entity).some(({ name, isPrimary }) => isPrimary && name === 'owner_id'),
  ).map(({ tableName }) => tableName);
  return tables.toSorted((left, right) => Number(right === FIRST) - Number(left === FIRST) || (left < right ? -1 : 1));
}

/** The table that orders refer to; the others are placed on the nodes of its rows. */
const FIRST = 'customers';

/** Returns the tenant tables that are not distributed yet. */
async function localTables(executor: Executor, orm: Orm): Promise<readonly string[]> {
  const text = `select c.relname as name from pg_dist_partition as p join pg_class as c on c.oid = p.logicalrelid
    where p.partmethod = 'h' and c.relnamespace = $1::regnamespace`;
  const distributed = await executor.execute<{ readonly name: string }>({ text }, [`"${orm.schema}"`]);
  const names = new Set(distributed.map(({ name }) => name));
  return tenantTables().filter((table) => !names.has(table));
}

function distributionOf(table: string, shards: number): string {
  const placement = table === FIRST ? `'none', shard_count => ${shards}` : `'our.${FIRST}'`;
  return `select create_distributed_table('our.${table}', 'owner_id', colocate_with => ${placement})`;
}
