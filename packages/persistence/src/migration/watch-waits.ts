import { setTimeout as sleep } from 'node:timers/promises';
import type { Executor } from '../shared/executor.ts';

/** When a statement is first looked at, and how often after that, in milliseconds. */
const FIRST_LOOK_MS = 100;
const LOOK_MS = 1000;

/** How often a statement that takes long is reported, in milliseconds. */
const REPORT_MS = 10_000;

/** Watches what the statements of a backend wait for. */
export interface Watch {
  /** What the last wait was for, as the object of "waits for"; `undefined` when none was seen. */
  lastWait(): string | undefined;
  stop(): void;
}

/**
 * Looks once a second what the backend `pid` waits for. `report` receives a clause every ten seconds.
 */
export function watchWaits(executor: Executor, pid: number, report: (clause: string) => void): Watch {
  const stop = new AbortController();
  let lastWait: string | undefined;
  const watch = async () => {
    const begun = performance.now();
    let reportAfter = REPORT_MS;
    for (let wait = FIRST_LOOK_MS; await slept(wait, stop.signal); wait = LOOK_MS) {
      // Without an answer there is nothing to report: the statement itself says what is wrong.
      const found = await whatBlocks(executor, pid).catch(() => undefined);
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

async function slept(ms: number, signal: AbortSignal): Promise<boolean> {
  return await sleep(ms, true, { signal, ref: false }).catch(() => false);
}

interface Blocker {
  readonly pid: number;
  readonly application: string | null;
  readonly seconds: string | null;
  readonly relation: string | null;
}

/** The first backend that `$1` waits for, for how long its transaction has been open, and the table it is about. */
const BLOCKER = {
  name: '',
  text: `select blocker as pid, application_name as application,
      extract(epoch from clock_timestamp() - xact_start)::bigint as seconds,
      (select max(relation::regclass::text) from pg_locks where pid = $1::int and not granted) as relation
    from unnest(pg_blocking_pids($1::int)) as blocker left join pg_stat_activity as activity on activity.pid = blocker
    limit 1`,
};

async function whatBlocks(executor: Executor, pid: number): Promise<string | undefined> {
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
