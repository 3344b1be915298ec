import type { Executor } from './executor.ts';

const CITUS = { text: `select to_regclass('pg_dist_partition') is not null as is_installed` };

/** Whether Citus is installed: it accepts statements about several owners only as long as no table is distributed. */
export async function usesCitus(primary: Executor): Promise<boolean> {
  const [row] = await primary.execute<{ readonly is_installed: boolean }>(CITUS, []);
  return row?.is_installed === true;
}
