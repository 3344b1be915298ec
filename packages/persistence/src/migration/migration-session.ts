import type { PoolClient } from 'pg';
import { abortable } from '../shared/abortable.ts';
import type { Connections } from '../shared/connections.ts';

/** How long the end of a cancelled statement is awaited before its connection is destroyed, in milliseconds. */
const CANCEL_MS = 1000;

/** Settings that would end a long statement or an idle session, where this release of PostgreSQL has them. */
const TIME_LIMITS = [
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'transaction_timeout',
];

const BY_POOLER =
  'migrations are pending, and this connection goes through a pooler, which cannot carry the lock of a migration; ' +
  'run the command migrate over a direct connection first';

/**
 * The one connection that takes the migration lock and runs all statements. It is lost with its lock, so that nothing
 * is ever migrated without it: neither by this process nor by a backend that outlives this process.
 */
export interface MigrationSession {
  /** The process id of its backend. */
  readonly pid: number;
  /** Runs one or more statements. Once the signal is aborted, cancels them and rejects with the signal's reason. */
  run(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Closes the connection, and with it an open transaction and the lock. */
  close(): void;
}

/**
 * Opens a session on a connection of the pool, which must have room for a second one to cancel statements by.
 *
 * @throws {Error} the connection goes through a pooler: the lock would stay with a server connection that other clients
 *   are given
 */
export async function openMigrationSession(primary: Connections, signal: AbortSignal): Promise<MigrationSession> {
  const connecting = primary.pool.connect();
  const client = await abortable(
    signal,
    () => connecting,
    () => void connecting.then((late) => late.release(true)).catch(() => undefined),
  );
  const close = () => client.release(true);
  try {
    const pid = await backendOf(client, signal);
    // A cancellation that fails is made good by closing the connection.
    const cancel = () => void primary.pool.query('select pg_cancel_backend($1)', [pid]).catch(() => undefined);
    const run: MigrationSession['run'] = async (text, values) => {
      const query = () => client.query<Record<string, unknown>>(text, values && [...values]);
      return (await abortable(signal, query, cancel, CANCEL_MS)).rows;
    };
    await run('select set_config(name, $1, false) from pg_settings where name = any($2)', ['0', TIME_LIMITS]);
    return { pid, run, close };
  } catch (cause) {
    close();
    throw cause;
  }
}

async function backendOf(client: PoolClient, signal: AbortSignal): Promise<number> {
  const { rows } = await abortable(signal, () => client.query<{ pid: number }>('select pg_backend_pid() as pid'));
  const pid = rows[0]?.pid;
  // What the other end of the connection gave as its process id; a pooler gives one of its own.
  const announced = 'processID' in client ? client.processID : undefined;
  if (pid === undefined || pid !== announced) throw new Error(BY_POOLER);
  return pid;
}
