import { setTimeout as sleep } from 'node:timers/promises';
import type { Executor } from '../postgres/executor.ts';

/** The delays before the first check of a statement and between later ones, in milliseconds. */
const FIRST_CHECK_MS = 100;
const CHECK_MS = 1000;

/** The interval between reports about a long statement, in milliseconds. */
const REPORT_MS = 10_000;

/** Watches which locks a backend waits for. */
export interface Watch {
  /** Returns the last lock or process that the backend waited for, or `undefined` when it was never seen waiting. */
  lastWait(): string | undefined;
  stop(): void;
}

/** Checks once a second which lock the backend `pid` waits for. `report` receives a clause every ten seconds. */
export function watchWaits(executor: Executor, pid: number, report: (clause: string) => void): Watch {
  const stop = new AbortController();
  let lastWait: string | undefined;
  const watch = async () => {
    const begun = performance.now();
    let reportAfter = REPORT_MS;
    for (let wait = FIRST_CHECK_MS; await sleepUnlessAborted(wait, stop.signal); wait = CHECK_MS) {
      // A failed check is not reported, because the watched statement itself reports the failure.
      const found = await findBlocker(executor, pid).catch(() => undefined);
      lastWait = found ?? lastWait;
      const ran = performance.now() - begun;
      if (ran < reportAfter || stop.signal.aborted) continue;
      reportAfter += REPORT_MS;
      report(`has run for ${Math.floor(ran / 1000)} s${found === undefined ? '' : ` and waits for ${found}`}`);
    }
  };
  void watch();
  return { lastWait: () => lastWait, stop: () => stop.abort() };
}

async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  return await sleep(ms, true, { signal, ref: false }).catch(() => false);
}

interface Blocker {
  readonly pid: number;
  readonly application: string | null;
  readonly seconds: string | null;
  readonly relation: string | null;
}

/** Selects the first backend that blocks backend `$1`, the age of its transaction, and the table of the lock. */
const BLOCKER = {
  text: `select blocker as pid, application_name as application,
      extract(epoch from clock_timestamp() - xact_start)::bigint as seconds,
      (select max(relation::regclass::text) from pg_locks where pid = $1::int and not granted) as relation
    from unnest(pg_blocking_pids($1::int)) as blocker left join pg_stat_activity as activity on activity.pid = blocker
    limit 1`,
};

async function findBlocker(executor: Executor, pid: number): Promise<string | undefined> {
  const [blocker] = await executor.execute<Blocker>(BLOCKER, [`${pid}`]);
  if (!blocker) return undefined;
  const { application, seconds, relation } = blocker;
  const known = [
    ...(application ? [application] : []),
    ...(seconds === null ? [] : [`in a transaction for ${seconds} s`]),
  ];
  const process = `process ${blocker.pid} of PostgreSQL${known.length > 0 ? ` (${known.join(', ')})` : ''}`;
  return relation === null ? process : `a lock on ${relation} held by ${process}`;
}
