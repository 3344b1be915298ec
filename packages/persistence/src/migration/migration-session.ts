import type { PoolClient } from 'pg';
import { abortable } from '../postgres/abortable.ts';
import type { OpenedPools } from '../database/opened-pools.ts';
import { inSchema } from '../tables/schema.ts';

/** Maximum wait for the end of a cancelled statement before its connection is destroyed, in milliseconds. */
const CANCEL_MS = 1000;

/** Settings that would end a long statement or an idle session, as far as this release of PostgreSQL has them. */
const TIME_LIMITS = [
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'transaction_timeout',
];

const POOLER_MESSAGE =
  'migrations are pending, but this connection goes through a pooler, which cannot keep the migration lock; ' +
  'run `orders migrate` with a DATABASE_URL that connects directly to PostgreSQL first';

/**
 * The one connection that takes the migration lock and runs all statements. Losing it releases the lock, so that
 * neither this process nor a backend that outlives it migrates without the lock.
 */
export interface MigrationSession {
  /** The process id of the connection's backend. */
  readonly pid: number;
  /**
   * Runs one or more statements, with the schema as `our`. When the signal is aborted, cancels them and rejects with the
   * signal's reason.
   */
  run(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Closes the connection, which rolls back an open transaction and releases the lock. */
  close(): void;
}

/**
 * Opens a session on a connection of the pool. The pool must have room for a second connection, which cancels
 * statements.
 *
 * @throws {Error} the connection goes through a pooler: the lock would stay with a server connection that the pooler
 *   gives to other clients
 */
export async function openMigrationSession(
  { primary, orm }: Pick<OpenedPools, 'primary' | 'orm'>,
  signal: AbortSignal,
): Promise<MigrationSession> {
  const connecting = primary.pool.connect();
  const client = await abortable(
    signal,
    () => connecting,
    () => void connecting.then((late) => late.release(true)).catch(() => undefined),
  );
  const close = () => client.release(true);
  try {
    const pid = await backendPid(client, signal);
    // When the cancellation fails, closing the connection ends the statement instead.
    const cancel = () => void primary.pool.query('select pg_cancel_backend($1)', [pid]).catch(() => undefined);
    const run: MigrationSession['run'] = async (text, values) => {
      const query = () => client.query<Record<string, unknown>>(inSchema(orm, text), values && [...values]);
      return (await abortable(signal, query, cancel, CANCEL_MS)).rows;
    };
    await run('select set_config(name, $1, false) from pg_settings where name = any($2)', ['0', TIME_LIMITS]);
    return { pid, run, close };
  } catch (cause) {
    close();
    throw cause;
  }
}

async function backendPid(client: PoolClient, signal: AbortSignal): Promise<number> {
  const { rows } = await abortable(signal, () => client.query<{ pid: number }>('select pg_backend_pid() as pid'));
  const pid = rows[0]?.pid;
  // The process id that the other end of the connection announced. A pooler announces one of its own.
  const announced = 'processID' in client ? client.processID : undefined;
  if (pid === undefined || pid !== announced) throw new Error(POOLER_MESSAGE);
  return pid;
}
