import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { type FeedPlan, WAITERS_PER_OWNER } from './feed-plan.ts';
import type { WaitersResult } from './feed-results.ts';
import { WaitersReady } from './waiters-protocol.ts';

const US = 1_000_000;

/** Measures a process in which many readers wait for events that do not come. */
export async function measureWaiters(
  client: Client,
  url: string,
  postmaster: number,
  { waiters, waitSeconds }: FeedPlan,
): Promise<WaitersResult> {
  const owners = waiters / WAITERS_PER_OWNER;
  await client.query(
    `insert into changes
       (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format, position)
     select 'waiting ' || n, 'order', uuidv7(), 1, uuidv7(), 'order.placed', '[]', now(), 1, 1
     from generate_series(0, $1::int - 1) n`,
    [owners],
  );
  await client.query(
    `insert into feeds (owner_id, position, purged)
     select 'waiting ' || n, 1, 0 from generate_series(0, $1::int - 1) n`,
    [owners],
  );
  await client.query('vacuum analyze');
  const execArgv = [...process.execArgv, '--expose-gc'];
  const child = fork(join(import.meta.dirname, 'waiters-worker.ts'), { execArgv });
  const ended = once(child, 'exit');
  try {
    child.send({ url, owners, perOwner: WAITERS_PER_OWNER });
    const died = ended.then(() => Promise.reject(new Error('the process of the waiters ended unexpectedly')));
    const { bytes } = WaitersReady.parse((await Promise.race([once(child, 'message'), died]))[0]);
    const cpuTimes = () => [cpuTimeOfTree(child.pid ?? 0), cpuTimeOfTree(postmaster)] as const;
    const [before, from] = [cpuTimes(), performance.now()];
    await Promise.race([sleep(waitSeconds * 1000), died]);
    const [after, until] = [cpuTimes(), performance.now()];
    const us = ((until - from) / 1000) * US;
    return { waiters, owners, server: (after[0] - before[0]) / us, postgres: (after[1] - before[1]) / us, bytes };
  } finally {
    if (child.connected) child.disconnect();
    await ended;
  }
}
