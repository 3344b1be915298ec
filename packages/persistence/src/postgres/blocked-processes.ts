import type { Executor } from './executor.ts';
import type { ParameterTexts, Prepared } from './prepared-query.ts';

/** A transaction that others wait for, or that has been open for long. */
export interface OpenTransaction {
  readonly pid: number;
  /** What the program calls itself; empty if it does not. */
  readonly application: string;
  /** Such as `idle in transaction`; `null` where the role may not see it. */
  readonly state: string | null;
  /** Since its begin; `null` where the role may not see it. */
  readonly seconds: number | null;
}

/** A process of PostgreSQL that waits for a lock. */
export interface BlockedProcess {
  readonly pid: number;
  readonly seconds: number;
  /** The table of the lock; `null` for a lock on something else, such as a row's transaction. */
  readonly relation: string | null;
  readonly blockers: readonly OpenTransaction[];
}

/**
 * Selects the processes that wait, or one of them. `waitstart` and `pg_blocking_pids` need no right, so that the processes are
 * known to every role.
 */
const BLOCKED = {
  text: `select l.pid, extract(epoch from clock_timestamp() - min(l.waitstart))::float8 as seconds,
      (select format('%s.%s', relnamespace::regnamespace, relname) from pg_class where oid = max(l.relation)) as relation,
      (select coalesce(json_agg(json_build_object('pid', b.pid, 'application', coalesce(a.application_name, ''),
        'state', a.state, 'seconds', extract(epoch from clock_timestamp() - a.xact_start))), '[]')
        from unnest(pg_blocking_pids(l.pid)) as b (pid) left join pg_stat_activity as a on a.pid = b.pid) as blockers
    from pg_locks as l where not l.granted and l.pid = coalesce($1::int, l.pid) group by l.pid order by seconds desc nulls last limit 20`,
};

/**
 * Returns the rows of a statement. They are selected as JSON, because the driver leaves large numbers as text.
 *
 * @internal
 */
export async function rowsOf<Row>(
  executor: Executor,
  { text }: Prepared,
  values: ParameterTexts = [],
): Promise<readonly Row[]> {
  const statement = { text: `select coalesce(json_agg(found), '[]') as rows from (${text}) as found` };
  const [result] = await executor.execute<{ readonly rows: readonly Row[] }>(statement, values);
  return result?.rows ?? [];
}

/**
 * Returns at most 20 processes that wait for a lock, the longest wait first; those with a `pid` alone, if it is given.
 *
 * @internal
 */
export async function blockedProcesses(
  executor: Executor,
  pid: number | null = null,
): Promise<readonly BlockedProcess[]> {
  return await rowsOf<BlockedProcess>(executor, BLOCKED, [pid === null ? null : `${pid}`]);
}
