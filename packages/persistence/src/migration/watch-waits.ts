import { setTimeout as sleep } from 'node:timers/promises';
import { blockedProcesses } from '../postgres/blocked-processes.ts';
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

/** Describes the first process that blocks another one, and the table of the lock. */
async function findBlocker(executor: Executor, pid: number): Promise<string | undefined> {
  const [blocked] = await blockedProcesses(executor, pid);
  const [blocker] = blocked?.blockers ?? [];
  if (!blocked || !blocker) return undefined;
  const { application, seconds } = blocker;
  const since = seconds === null ? '' : `in a transaction for ${Math.floor(seconds)} s`;
  const known = [application, since].filter((detail) => detail !== '').join(', ');
  const process = `process ${blocker.pid} of PostgreSQL${known === '' ? '' : ` (${known})`}`;
  return blocked.relation === null ? process : `a lock on ${blocked.relation} held by ${process}`;
}
