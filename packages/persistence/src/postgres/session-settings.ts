import type { PoolClient } from 'pg';
import { UnsuitableSession } from './unreachable-database.ts';
import type { Prepared } from './prepared-query.ts';

/** The settings of a session that another library has opened, in the transaction of the statement. */
export interface SessionSettings {
  readonly isolation: string;
  readonly date_style: string;
}

export const SESSION_SETTINGS: Prepared = {
  text: `select current_setting('transaction_isolation') as isolation, current_setting('DateStyle') as date_style`,
};

/**
 * Returns the reason why statements cannot run in a session with these settings; `null` when they can. Writes that wait
 * for another one continue with its committed rows, and times are parsed as ISO text.
 */
export function unsuitable(settings: SessionSettings | undefined): UnsuitableSession | null {
  const { isolation = '', date_style: dateStyle = '' } = settings ?? {};
  if (isolation !== 'read committed')
    return new UnsuitableSession(
      `the isolation of transactions must be READ COMMITTED, got ${isolation.toUpperCase()}`,
    );
  if (!dateStyle.startsWith('ISO'))
    return new UnsuitableSession(`the setting DateStyle of the session must be ISO, got ${dateStyle}`);
  return null;
}

/**
 * What `discard all` does, apart from the prepared statements and their plans. To plan these again doubled the CPU time that
 * PostgreSQL takes for a transaction.
 */
const RESET = `reset session authorization; reset role; reset all; close all; unlisten *; select pg_advisory_unlock_all();
  discard temp; discard sequences`;

/** A host may have deallocated prepared statements. Those that are bound to transactions are then prepared again. */
const PREPARED = `select count(*)::int as prepared from pg_prepared_statements where name not like 'orders\\_%\\_bound'`;

/**
 * Ends what statements of a host have left in a session; in a pool of the host, only checks it. Returns whether the next
 * statement can use the session. Never rejects.
 */
export async function resetSession(client: PoolClient, isHosts: boolean): Promise<boolean> {
  try {
    const script = `${isHosts ? SESSION_SETTINGS.text : RESET}; ${PREPARED}`;
    // `pg` returns a result for each statement of a script.
    const results = [await client.query<SessionSettings & { readonly prepared: number }>(script)].flat();
    const [settings, left] = results.slice(-2).map(({ rows }) => rows[0]);
    const known = 'connection' in client ? Object.keys(client.connection.parsedStatements).length : 0;
    return left?.prepared === known && (!isHosts || unsuitable(settings) === null);
  } catch {
    return false;
  }
}
