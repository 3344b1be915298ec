import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { cpuTimeOfSessions } from '../machine/session-cpu-time.ts';
import { type FeedPlan, WAITERS_PER_OWNER } from './feed-plan.ts';
import type { WaitersResult } from './feed-results.ts';
import { WaitersReady } from './waiters-protocol.ts';

const US = 1_000_000;

/** Inserts an event of an owner at a position. */
const INSERT = `insert into orders.changes
    (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format, position)
  values ($1, 'order', uuidv7(), 1, uuidv7(), 'order.placed', '[]', now(), 1, $2::bigint)`;

/** The largest accepted share of a core that waiters take. */
const SHARE_MAX = 0.05;

/** Events of another owner in a second, so that some come between any two checks. */
const EVENTS_PER_SECOND = 10;

/**
 * Measures a process in which many readers wait for events that do not come: while nothing is written, and beside events
 * of another owner. Counts the process and its sessions of PostgreSQL.
 */
export async function measureWaiters(
  client: Client,
  url: string,
  { waiters, waitSeconds }: FeedPlan,
): Promise<readonly WaitersResult[]> {
  const owners = waiters / WAITERS_PER_OWNER;
  for (let owner = 0; owner < owners; owner += 1) await client.query(INSERT, [`waiting ${owner}`, 1]);
  await client.query(
    `insert into orders.feeds (owner_id, purged)
     select 'waiting ' || n, 0 from generate_series(0, $1::int - 1) n`,
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
    const pid = child.pid ?? 0;
    const cpuTimes = async () => [cpuTimeOfTree(pid), await cpuTimeOfSessions(client, pid)] as const;
    const measure = async (
      title: string,
      atMost: number | null,
      during: () => Promise<void>,
    ): Promise<WaitersResult> => {
      const [before, from] = [await cpuTimes(), performance.now()];
      await Promise.race([during(), died]);
      const [after, until] = [await cpuTimes(), performance.now()];
      const us = ((until - from) / 1000) * US;
      const [server, postgres] = [(after[0] - before[0]) / us, (after[1] - before[1]) / us];
      return { title, waiters, owners, server, postgres, bytes, atMost };
    };
    return [
      await measure('nothing written', SHARE_MAX, () => sleep(waitSeconds * 1000)),
      await measure(`beside ${EVENTS_PER_SECOND} events a second`, null, async () => {
        for (let count = 0; count < waitSeconds * EVENTS_PER_SECOND; count += 1) {
          await client.query(INSERT, ['writing', count + 1]);
          await sleep(1000 / EVENTS_PER_SECOND);
        }
      }),
    ];
  } finally {
    if (child.connected) child.disconnect();
    await ended;
  }
}
