import { randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import type { Command } from './command.ts';

/** Maximum wait between two comparisons with the clock of the database, in milliseconds. */
const CLOCK_INTERVAL_MS = 10_000;

/** Runs the worker of webhooks without a server, whatever `WEBHOOKS` says for servers. */
export const webhooks: Command = {
  usage: 'webhooks',
  records: 'nothing',
  about: 'delivers webhooks until it is stopped, beside servers with WEBHOOKS=api',
  examples: ['webhooks'],
  endsBySignal: true,
  prepare:
    () =>
    async ({ database, openFeed }, signal, config) => {
      const { presentEvent } = await import('@orders/domain/events');
      const { DatabaseClock } = await import('../database/clocks.ts');
      const { every, startJobs } = await import('../jobs/job.ts');
      const { countDueDeliveries } = await import('../jobs/due-deliveries.ts');
      const { startMetrics } = await import('../instrumentation/start-instrumentation.ts');
      const { createLog } = await import('../logging/log.ts');
      const { requireKeysInUse, signingKeys } = await import('../config/webhook-settings.ts');
      const { serverWebhooks } = await import('../webhooks.ts');
      const keys = await signingKeys(config);
      const log = await createLog(config);
      await requireKeysInUse(database, keys, (message) => log.warn(message));
      const metrics = await startMetrics(config, database, log);
      const clock = new DatabaseClock();
      const compare = async () => metrics?.clockDifference((await clock.compare(database)).differenceMs);
      try {
        await compare();
        const parts = { database, log, observer: metrics?.jobs };
        const { watch, deliver } = serverWebhooks(config, {
          ...parts,
          feed: openFeed(),
          clock,
          ids: { next: randomUUIDv7 },
          signingKeys: keys,
          present: (event) => presentEvent(event, database.definition),
        });
        const failure = 'the clock of the database could not be read';
        const stopJobs = startJobs(
          [
            every({ name: 'clock', intervalMs: CLOCK_INTERVAL_MS, step: compare, failure }, log),
            watch,
            deliver,
            metrics !== undefined && countDueDeliveries(parts),
          ],
          log,
        );
        log.info('delivering webhooks');
        if (!signal.aborted) await once(signal, 'abort');
        log.info('stopping');
        await stopJobs();
      } finally {
        await metrics?.stop();
      }
    },
};
