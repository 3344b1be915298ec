import { type OrdersDatabase, type SendingDatabase, sendingDatabase } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import { inBackground } from './in-background.ts';

/** Maximum wait between two checks, in milliseconds. */
const INTERVAL_MS = 5000;

const WARNINGS: Readonly<Record<SendingDatabase, string | null>> = {
  copy: 'this database is a copy of one that sends webhooks, or was made quiet: none are sent until "orders adopt"',
  unknown: 'the role may not call pg_control_system: webhooks are sent, and from a copy of the database as well',
  original: null,
};

/** Receives whether the database must not send. */
export interface SendingObserver {
  readonly quiet?: (isQuiet: boolean) => void;
}

/** What all senders of webhooks of a process pass. */
export interface SendingGate {
  /** Returns whether webhooks may be sent, by the last check; `false` while none has succeeded. */
  readonly isOpen: () => Promise<boolean>;
  /** Checks repeatedly, until stopped. The returned function waits for the current statement. */
  readonly watch: () => () => Promise<void>;
}

/** Creates a gate that is closed on a copy of the database that sends webhooks. */
export function sendingGate(database: OrdersDatabase, log: FastifyBaseLogger, observer?: SendingObserver): SendingGate {
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
  const failed = (err: unknown) => log.warn({ err }, 'whether this database may send webhooks is unknown');
  let first: Promise<void> | undefined;
  return {
    isOpen: async () => {
      if (known === undefined)
        await (first ??= check()
          .catch(failed)
          .finally(() => (first = undefined)));
      return known !== undefined && known !== 'copy';
    },
    watch: () => inBackground(check, { intervalMs: INTERVAL_MS, failed }),
  };
}
