import type { OrdersDatabase } from '../database/database.ts';
import { type BlockedProcess, blockedProcesses, type OpenTransaction, rowsOf } from '../postgres/blocked-processes.ts';

/** A table of the schema. On Citus the sizes are those of the coordinator. */
export interface TableSize {
  readonly name: string;
  /** With indexes and long values, when PostgreSQL last vacuumed or analysed it. */
  readonly bytes: number;
  /** The estimate of the planner; -1 before the first `analyze`. */
  readonly rows: number;
  readonly deadRows: number;
}

/** What can be seen of a database by its catalog and its activity. */
export interface Examination {
  /** Such as `18.1`. */
  readonly release: string;
  readonly isSuperuser: boolean;
  /** Whether the role sees the activity of other roles. */
  readonly seesOthers: boolean;
  /** The tables of the schema that the role may not read and write. */
  readonly withoutRights: readonly string[];
  readonly connections: {
    readonly used: number;
    readonly max: number;
    readonly usedByRole: number;
    /** The limit of the role; `null` without one. */
    readonly maxOfRole: number | null;
  };
  /** At most 20, the longest wait first. */
  readonly blocked: readonly BlockedProcess[];
  /** At most 20 that have been open for a minute, the oldest first. */
  readonly longTransactions: readonly OpenTransaction[];
  /** Two-phase transactions that were prepared a minute ago. Nothing but a command ends them. */
  readonly prepared: readonly { readonly gid: string; readonly seconds: number }[];
  /** Replication slots without a consumer, for which PostgreSQL keeps its log. */
  readonly idleSlots: readonly { readonly name: string; readonly bytes: number }[];
  /** By size, the largest first. */
  readonly tables: readonly TableSize[];
}

const SETTINGS = {
  text: `select current_setting('server_version') as release, r.rolsuper as "isSuperuser",
      pg_has_role(current_user, 'pg_read_all_stats', 'usage') as "seesOthers",
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
      current_setting('max_connections')::int as max,
      (select count(*)::int from pg_stat_activity where usename = current_user) as "usedByRole",
      nullif(r.rolconnlimit, -1) as "maxOfRole"
    from pg_roles as r where r.rolname = current_user`,
};

const LONG = {
  text: `select pid, coalesce(application_name, '') as application, state,
      extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start < clock_timestamp() - interval '1 min'
    order by xact_start limit 20`,
};

const PREPARED = {
  text: `select gid, extract(epoch from clock_timestamp() - prepared)::float8 as seconds from pg_prepared_xacts
    where database = current_database() and prepared < clock_timestamp() - interval '1 min' order by prepared limit 20`,
};

const SLOTS = {
  text: `select slot_name as name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 as bytes
    from pg_replication_slots where not active and restart_lsn is not null order by restart_lsn limit 20`,
};

/** The functions of PostgreSQL for the size of a table wait for locks on it; its catalog does not. */
const TABLES = {
  text: `select c.relname as name, c.reltuples as rows, (
        select sum(part.relpages)::float8 * current_setting('block_size')::int from pg_class as part
        where part.oid in (c.oid, c.reltoastrelid)
          or part.oid in (select indexrelid from pg_index where indrelid in (c.oid, c.reltoastrelid))
      ) as bytes,
      coalesce(s.n_dead_tup, 0) as "deadRows",
      has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
        and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete') as "hasRights"
    from pg_class as c left join pg_stat_all_tables as s on s.relid = c.oid
    where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p')
    order by bytes desc, name`,
};

/**
 * Examines a database: who waits for whom, what is open, how large the tables are. It reads catalogs alone, so that it also
 * works while tables are locked, and needs no right but to connect. What a role may not see is left out.
 *
 * @throws {Error} the database query failed
 */
export async function examineDatabase(database: OrdersDatabase): Promise<Examination> {
  const { primary, schema } = database;
  const [settings] = await rowsOf<Omit<Examination, 'connections'> & Examination['connections']>(primary, SETTINGS);
  if (!settings) throw new Error('the role of the connection is unknown');
  const { release, isSuperuser, seesOthers, ...connections } = settings;
  const tables = await rowsOf<TableSize & { readonly hasRights: boolean }>(primary, TABLES, [`"${schema}"`]);
  return {
    release,
    isSuperuser,
    seesOthers,
    connections,
    withoutRights: tables.filter(({ hasRights }) => !hasRights).map(({ name }) => name),
    blocked: await blockedProcesses(primary),
    longTransactions: await rowsOf<OpenTransaction>(primary, LONG),
    prepared: await rowsOf<Examination['prepared'][number]>(primary, PREPARED),
    idleSlots: await rowsOf<Examination['idleSlots'][number]>(primary, SLOTS),
    tables: tables.map(({ name, bytes, rows, deadRows }) => ({ name, bytes, rows, deadRows })),
  };
}
