import { purge } from '@orders/persistence';
import type { Config } from '../config/config.ts';
import { DatabaseClock } from '../database/clocks.ts';
import { every, type Job, type JobParts, observedStep } from './job.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

type RetentionTimes = Pick<Config, 'EVENT_RETENTION_DAYS' | 'HISTORY_RETENTION_DAYS' | 'ERASURE_RETENTION_DAYS'>;

/**
 * Purges expired idempotency records, old change records, and what was kept of erasures. No purge runs while the clocks of server and database differ by
 * more than a minute.
 */
export function purgeRepeatedly(
  parts: JobParts,
  { EVENT_RETENTION_DAYS, HISTORY_RETENTION_DAYS, ERASURE_RETENTION_DAYS }: RetentionTimes,
): Job {
  const { database, log, observer } = parts;
  const purgeDatabase = purge(database, observedStep('purge', parts));
  const step = async (signal: AbortSignal) => {
    const { fault } = await new DatabaseClock().compare(database);
    if (fault !== null) {
      log.warn(`purge skipped: ${fault}`);
      return;
    }
    const now = new Date();
    const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString();
    const ages = {
      now: now.toISOString(),
      eventsBefore: daysAgo(EVENT_RETENTION_DAYS),
      erasuresBefore: daysAgo(ERASURE_RETENTION_DAYS),
      historyBefore: HISTORY_RETENTION_DAYS === 0 ? null : daysAgo(HISTORY_RETENTION_DAYS),
    };
    const purged = await purgeDatabase(ages, signal);
    observer?.purged?.(purged);
    if (Object.values(purged).some((count) => count > 0)) log.info(purged, 'purged');
  };
  const failure = 'purge failed; the next one continues where it stopped';
  return every({ name: 'purge', intervalMs: 10 * 60 * 1000, step, failure }, log);
}
