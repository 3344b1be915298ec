import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@orders/child-processes';
import { type Database, distribute, openDatabase } from '@orders/persistence';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orders/persistence/embedded';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { anotherSession } from '../fixtures/sessions.ts';

/**
 * A fake of Citus, which no npm package contains: its functions and its catalog with their names, types and defaults,
 * and a record of the calls in order. It is trusted, so that the role of the tests may install it.
 */
const CONTROL = `default_version = '1'\nschema = public\ntrusted = true\n`;
const STAND_IN = `
create schema citus;
create type citus.distribution_type as enum ('hash', 'range', 'append');
create table pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char", colocated_with text,
  called int generated always as identity);
grant select on pg_dist_partition to public;
create table functions (name text);
grant select, insert on functions to public;
create function create_distributed_table(table_name regclass, distribution_column text,
  distribution_type citus.distribution_type default 'hash', colocate_with text default 'default',
  shard_count int default null) returns void language plpgsql security definer as $$
begin
  if distribution_column <> 'owner_id' or distribution_type <> 'hash' then raise 'distributed by something else'; end if;
  if (select count(*) from pg_locks where pid = pg_backend_pid() and mode = 'AccessExclusiveLock'
    and relation::regclass::text in ('orders.customers', 'orders.changes', 'orders.checkpoints', 'orders.feeds', 'orders.idempotency', 'orders.orders',
      'orders.order_statistics', 'orders.webhook_deliveries', 'orders.webhook_endpoints', 'orders.webhook_queues')) < 10 then raise 'not locked'; end if;
  if current_setting('stand_in.refuses', true) = table_name::text then raise 'refused'; end if;
  perform pg_sleep(current_setting('stand_in.seconds', true)::float);
  if (shard_count is null) <> (colocate_with <> 'none') then raise 'a shard count beside others'; end if;
  insert into pg_dist_partition values (table_name, 'h', 's', concat_ws(' ', colocate_with, shard_count));
end $$;
create function create_distributed_function(function_name regprocedure, distribution_arg_name text, colocate_with text)
  returns void language plpgsql as $$
begin
  if distribution_arg_name <> 'p_owner_id' or colocate_with <> '"orders".orders' then raise 'distributed by something else'; end if;
  if exists (select from pg_dist_partition where xmin = pg_current_xact_id()::xid) then raise 'parallel operation'; end if;
  insert into functions values (function_name::text);
end $$;
`;

let folder: string;
let postgres: EmbeddedPostgres;
let database: Database;
const opened: Database[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-distribute-'));
  // PostgreSQL runs as another account when the tests run as root, and must be able to read the extension.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'extension'), { mode: 0o755 });
  await writeFile(join(folder, 'extension', 'citus.control'), CONTROL);
  await writeFile(join(folder, 'extension', 'citus--1.sql'), STAND_IN);
  const settings = { fsync: 'off', extension_control_path: `$system:${folder}` };
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings });
  database = openDatabase({ url: postgres.url });
  opened.push(database);
  await database.migrate();
});

afterAll(async () => {
  for (const one of opened) await one.close();
  await postgres.stop();
  await removeFolder(folder);
});

beforeEach(() => execute(postgres.url, 'drop extension if exists citus'));

const DISTRIBUTED = [
  { name: 'customers', colocated_with: 'none 32' },
  { name: 'changes', colocated_with: '"orders".customers' },
  { name: 'checkpoints', colocated_with: '"orders".customers' },
  { name: 'feeds', colocated_with: '"orders".customers' },
  { name: 'idempotency', colocated_with: '"orders".customers' },
  { name: 'order_statistics', colocated_with: '"orders".customers' },
  { name: 'orders', colocated_with: '"orders".customers' },
  { name: 'webhook_deliveries', colocated_with: '"orders".customers' },
  { name: 'webhook_endpoints', colocated_with: '"orders".customers' },
  { name: 'webhook_queues', colocated_with: '"orders".customers' },
];

function calls() {
  const called = 'select logicalrelid::text as name, colocated_with from pg_dist_partition order by called';
  return execute(postgres.url, called);
}

/** Opens the database with an additional setting on its connections. */
function withSetting(setting: string, statementTimeoutMs?: number): Database {
  const url = new URL(postgres.url);
  url.searchParams.set('options', `-c ${setting}`);
  const other = openDatabase({ url: url.href, statementTimeoutMs });
  opened.push(other);
  return other;
}

describe('distribute', () => {
  it('distributes the tables by owner, colocated', async () => {
    expect(await distribute(database)).toBe('distributed');
    expect(await calls()).toEqual(DISTRIBUTED);
  });

  it('distributes the functions in transactions after that of the tables, with custom plans', async () => {
    await distribute(database);
    const distributed = await execute(
      postgres.url,
      `select name, 'plan_cache_mode=force_custom_plan' = any(proconfig) as has_custom_plans
       from functions join pg_proc as p on p.oid = name::regprocedure order by 1`,
    );
    const all = await execute<{ name: string }>(
      postgres.url,
      `select oid::regprocedure::text as name from pg_proc
       where pronamespace = current_schema()::regnamespace and proname ~ '_[0-9a-f]{16}$' order by 1`,
    );
    expect(all.map(({ name }) => name.replace(/_[0-9a-f]{16}\(.*/, ''))).toEqual(
      expect.arrayContaining(['customer_insert', 'order_delete', 'order_update', 'webhook_claim', 'webhook_settle']),
    );
    expect(distributed).toEqual(all.map(({ name }) => ({ name, has_custom_plans: true })));
  });

  it('gives the tables the requested number of shards', async () => {
    await distribute(database, { shards: 128 });
    expect((await calls())[0]).toEqual({ name: 'customers', colocated_with: 'none 128' });
    for (const shards of [0, 1025, 1.5]) await expect(distribute(database, { shards })).rejects.toThrow(RangeError);
  });

  it('changes nothing at the second call', async () => {
    await distribute(database);
    expect(await distribute(database)).toBe('distributed');
    expect(await calls()).toEqual(DISTRIBUTED);
  });

  it('distributes all tables or none', async () => {
    const refusing = withSetting('stand_in.refuses=orders.orders');
    await expect(distribute(refusing)).rejects.toThrow('refused');
    expect(await calls()).toEqual([]);
  });

  it.each([
    ['customers', 'webhook_queues'],
    ['webhook_queues', 'customers'],
  ])('waits for transactions that use %s and then %s, without a deadlock', async (first, second) => {
    const session = await anotherSession(postgres.url);
    const use = (table: string) => `select from ${table} limit 0`;
    await session.query(`begin; ${use(first)}`);
    const state = { isOver: false };
    const distributing = distribute(database)
      .catch((cause: unknown) => cause)
      .finally(() => {
        state.isOver = true;
      });
    const waiting = `select from pg_locks where not granted and mode = 'AccessExclusiveLock'`;
    for (let round = 0; round < 5 && !state.isOver; round += 1) {
      await vi.waitFor(async () => {
        const isWaiting = (await execute(postgres.url, waiting)).length > 0;
        expect(isWaiting || state.isOver).toBe(true);
      });
      await session.query(use(second));
      await session.query(`commit; begin; ${use(first)}`);
    }
    await session.query('commit');
    expect(await distributing).toBe('distributed');
    expect(await calls()).toEqual(DISTRIBUTED);
  });

  it('is not limited by the statement timeout', async () => {
    const slow = withSetting('stand_in.seconds=0.2', 500);
    expect(await distribute(slow)).toBe('distributed');
  });
});
