import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { errorCode } from '../postgres/error-code.ts';
import { clusterPassword, ROLE } from './cluster.ts';
import { EmbeddedPostgresError } from './embedded-error.ts';
import { isAlive, readPostmasterPid } from './postmaster-pid.ts';

/** Maximum time for a PostgreSQL of an earlier run to stop, in milliseconds. */
const STOP_MS = 60_000;
/**
 * The time for which a process with the recorded id may not respond because it is a PostgreSQL that is starting, in
 * milliseconds.
 */
const NO_RESPONSE_MS = 3_000;

/**
 * Stops the PostgreSQL of a crashed run on `dataDir`, and removes a `postmaster.pid` whose process id now belongs to
 * another program. The caller holds the lock of the data directory, so no other server uses it.
 *
 * @throws {EmbeddedPostgresError} PostgreSQL does not stop within 60 seconds
 */
export async function stopOrphan(dataDir: string): Promise<void> {
  const password = await clusterPassword(dataDir);
  const started = Date.now();
  let signalled = false;
  for (;;) {
    const orphan = await readPostmasterPid(dataDir);
    if (!orphan || !isAlive(orphan.pid)) return; // PostgreSQL itself recovers from the file of a dead process.
    const state = await probe(orphan.port, password);
    // Only the server that accepts our password is our PostgreSQL and may be signalled.
    if (state === 'ours' && !signalled) {
      process.kill(orphan.pid, 'SIGINT');
      signalled = true;
    }
    const waited = Date.now() - started;
    if (state === 'unknown' && !signalled && waited > NO_RESPONSE_MS) {
      await rm(join(dataDir, 'postmaster.pid'), { force: true });
      return;
    }
    if (waited > STOP_MS) {
      throw new EmbeddedPostgresError(
        `PostgreSQL (process ${orphan.pid}) of an earlier run did not stop within ${STOP_MS / 1000} s: stop it, then start again`,
      );
    }
    await sleep(50);
  }
}

/** Identifies the program that listens on `port`: our PostgreSQL, one that is starting or stopping, or none of ours. */
async function probe(port: number, password: string): Promise<'ours' | 'busy' | 'unknown'> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: ROLE,
    database: ROLE,
    password,
    connectionTimeoutMillis: 2000,
  });
  client.on('error', () => undefined); // The error is in the rejection of connect().
  try {
    await client.connect();
    return 'ours';
  } catch (cause) {
    return errorCode(cause) === '57P03' ? 'busy' : 'unknown';
  } finally {
    await client.end().catch(() => undefined);
  }
}
