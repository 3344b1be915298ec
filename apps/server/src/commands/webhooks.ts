import { randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { presentEvent } from '@orders/http-adapter';
import { createLog } from '../log.ts';
import { OperatorError } from '../operator-error.ts';
import { requireKeysInUse, signingKeys, webhookFaults } from '../webhook-settings.ts';
import { serverWebhooks } from '../webhooks.ts';
import type { Command } from './command.ts';

/** Runs the worker of webhooks without a server, whatever `WEBHOOKS` says for servers. */
export const webhooks: Command = {
  usage: 'webhooks',
  about: 'delivers webhooks until it is stopped, beside servers with WEBHOOKS=api',
  examples: ['webhooks'],
  endsBySignal: true,
  prepare: (args) => {
    if (args.length > 0) throw new OperatorError(['webhooks takes no arguments']);
    return async ({ database, openFeed }, signal, config) => {
      const faults = webhookFaults({ ...config, WEBHOOKS: 'on' });
      if (faults.length > 0) throw new OperatorError(faults);
      const keys = await signingKeys(config);
      await requireKeysInUse(database, keys);
      const log = createLog(config);
      const { deliver, stop } = serverWebhooks(config, {
        database,
        feed: openFeed(),
        log,
        clock: { now: () => new Date() },
        ids: { next: randomUUIDv7 },
        signingKeys: keys,
        present: (event) => presentEvent(event, database.definition),
      });
      deliver();
      log.info('delivering webhooks');
      if (!signal.aborted) await once(signal, 'abort');
      log.info('stopping');
      await stop();
    };
  },
};
