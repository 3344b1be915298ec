import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { onTestFinished } from 'vitest';
import { execute } from '../../../../packages/persistence/test/fixtures/execute.ts';
import { aFreePort } from '../programs/ports.ts';
import { aDataDir } from '../programs/running-server.ts';

/** A PostgreSQL that can crash, and serves again at the same address. */
export interface KillablePostgres {
  readonly url: string;
  /** Returns the sessions of the project's programs. */
  readonly sessions: () => Promise<readonly { readonly pid: number }[]>;
  /** Kills one session. PostgreSQL then ends all others, recovers and serves again. */
  readonly killSession: () => Promise<void>;
  /** Kills the main process, and starts it again. */
  readonly killAll: () => Promise<void>;
}

const SESSIONS = `select pid from pg_stat_activity
  where backend_type = 'client backend' and application_name like 'orders%'
  order by state = 'active' desc, pid`;

/** Starts a PostgreSQL with the tables of this release, until the test ends. */
export async function startKillablePostgres(): Promise<KillablePostgres> {
  const dataDir = await aDataDir();
  const port = await aFreePort();
  let running = await startEmbeddedPostgres({ dataDir, port });
  const { url } = running;
  onTestFinished(() => running.stop());
  const sessions = () => execute<{ pid: number }>(url, SESSIONS);
  return {
    url,
    sessions,
    killSession: async () => {
      const [session] = await sessions();
      if (!session) throw new Error('there is no session to kill');
      kill(session.pid, 'SIGKILL');
    },
    killAll: async () => {
      const [pid] = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n');
      kill(Number(pid), 'SIGKILL');
      await running.ended;
      await running.stop();
      running = await startEmbeddedPostgres({ dataDir, port });
    },
  };
}
