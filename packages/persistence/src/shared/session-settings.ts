import { UnsuitableSession } from './postgres-errors.ts';
import type { Prepared } from './prepared-query.ts';

/** The settings of a session that another library has opened, in the transaction of the statement. */
export interface SessionSettings {
  readonly isolation: string;
  readonly date_style: string;
}

export const SESSION_SETTINGS: Prepared = {
  name: '',
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
