import { type SendingDatabase, sendingDatabase } from '@orders/persistence';
import { every, type Job, type JobParts } from './job.ts';

const WARNINGS: Readonly<Record<SendingDatabase, string | null>> = {
  copy: 'this database is a copy of one that sends webhooks, or was made quiet: none are sent until "orders adopt"',
  unknown: 'the role may not call pg_control_system: webhooks are sent, and from a copy of the database as well',
  original: null,
};

const FAILURE = 'whether this database may send webhooks is unknown';

/** What all senders of webhooks of a process pass. */
export interface SendingGate {
  /** Returns whether webhooks may be sent, by the last check; `false` while none has succeeded. */
  readonly isOpen: () => Promise<boolean>;
  /** Checks repeatedly. */
  readonly watch: Job;
}

/** Creates a gate that is closed on a copy of the database that sends webhooks. */
export function sendingGate({ database, log, observer }: JobParts): SendingGate {
  let known: SendingDatabase | undefined;
  const check = async () => {
    const found = await sendingDatabase(database);
    if (found === known) return;
    observer?.quiet?.(found === 'copy');
    const warning = WARNINGS[found];
    if (warning !== null) log.warn(warning);
    else if (known !== undefined) log.info('this database sends webhooks now');
    known = found;
  };
  let first: Promise<void> | undefined;
  return {
    isOpen: async () => {
      if (known === undefined)
        await (first ??= check()
          .catch((err: unknown) => log.warn({ err }, FAILURE))
          .finally(() => (first = undefined)));
      return known !== undefined && known !== 'copy';
    },
    watch: every({ name: 'sending_gate', intervalMs: 5000, step: check, failure: FAILURE }, log),
  };
}
