import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { errorCode } from '../shared/error-code.ts';
import { clusterPassword, ROLE } from './cluster.ts';
import { EmbeddedPostgresError } from './embedded-error.ts';
import { isAlive, readPostmasterPid } from './postmaster-pid.ts';

/** How long a PostgreSQL that an earlier run left behind may take to stop. */
const STOP_MS = 60_000;
/** For how long a process that holds the recorded id but does not answer may still be a PostgreSQL that is starting. */
const SILENCE_MS = 3_000;

/**
 * Stops a PostgreSQL that a crashed run left running on `dataDir`, and removes a `postmaster.pid` whose process id now
 * belongs to some other program. The caller holds the data directory's lock, so no other server uses it.
 */
export async function stopOrphan(dataDir: string): Promise<void> {
  const password = await clusterPassword(dataDir);
  const started = Date.now();
  let signalled = false;
  for (;;) {
    const orphan = await readPostmasterPid(dataDir);
    if (!orphan || !isAlive(orphan.pid)) return; // PostgreSQL itself recovers from the file of a dead process.
    const answer = await ask(orphan.port, password);
    // Only who knows our password's verifier is our PostgreSQL, and may be signalled.
    if (answer === 'ours' && !signalled) {
      process.kill(orphan.pid, 'SIGINT');
      signalled = true;
    }
    const waited = Date.now() - started;
    if (answer === 'silent' && !signalled && waited > SILENCE_MS) {
      await rm(join(dataDir, 'postmaster.pid'), { force: true });
      return;
    }
    if (waited > STOP_MS) {
      throw new EmbeddedPostgresError(`PostgreSQL (process ${orphan.pid}) of an earlier run does not stop`);
    }
    await sleep(50);
  }
}

/** Who listens on `port`: our PostgreSQL, one that is starting or stopping, or nobody we know. */
async function ask(port: number, password: string): Promise<'ours' | 'busy' | 'silent'> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: ROLE,
    database: ROLE,
    password,
    connectionTimeoutMillis: 2000,
  });
  client.on('error', () => undefined); // The answer is in the rejection of connect() or in what follows.
  try {
    await client.connect();
    return 'ours';
  } catch (cause) {
    return errorCode(cause) === '57P03' ? 'busy' : 'silent';
  } finally {
    await client.end().catch(() => undefined);
  }
}
