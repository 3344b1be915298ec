import type { OrdersDatabase } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import { REASON } from './audited.ts';
import type { Command } from './command.ts';
import { print } from './print.ts';

/** Lets this database send webhooks in place of the one that it is a copy of, or lets a planned move do so. */
export const adopt: Command = {
  usage: 'adopt',
  records: ({ flags }) => ({ action: flags.has('next') ? 'adopt_next' : 'adopt', subject: null }),
  about: 'lets a restored database send webhooks; --next beforehand, in the database that is to be moved within a day',
  options: [
    new Option('--next', 'lets the first copy that is started within a day send, too'),
    new Option('--discard-before <time>', 'sends nothing of before this time, such as 2026-01-31T04:00:00Z'),
    REASON,
  ],
  examples: ['adopt', 'adopt --discard-before 2026-01-31T04:00:00Z', 'adopt --next'],
  prepare: ({ values: { 'discard-before': text }, flags }) => {
    const before = text === undefined ? undefined : timeOf(text);
    if (flags.has('next') && before !== undefined)
      throw new OperatorError([
        '--discard-before: is for the database that is to send, and --next for the one before it',
      ]);
    return async ({ database }, signal) => {
      const { adoptDatabase, adoptNextDatabase } = await import('@orders/persistence');
      if (flags.has('next')) {
        if (!(await adoptNextDatabase(database)))
          throw new OperatorError(['this database sends no webhooks, so that none can follow it: adopt it first']);
        await print('The first copy that is started within 24 hours sends webhooks, too: stop this one before.\n');
        return;
      }
      if (before !== undefined) await discard(database, before, signal);
      await adoptDatabase(database);
      await print('This database sends webhooks; running servers begin within 10 seconds.\n');
    };
  },
};

/** Lets no server send webhooks from this database. */
export const quiet: Command = {
  usage: 'quiet',
  records: () => ({ action: 'quiet', subject: null }),
  about: 'lets no server send webhooks from this database and its copies until adopt; first step after a restore',
  options: [REASON],
  examples: ['quiet'],
  prepare:
    () =>
    async ({ database }) => {
      const { quietDatabase } = await import('@orders/persistence');
      await quietDatabase(database);
      await print('This database sends no webhooks until "orders adopt"; running servers end within 10 seconds.\n');
    },
};

function timeOf(text: string): string {
  const at = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new OperatorError(['--discard-before: must be a time such as 2026-01-31T04:00:00Z']);
  return new Date(at).toISOString();
}

async function discard(database: OrdersDatabase, before: string, signal: AbortSignal): Promise<void> {
  const { owners } = await import('@orders/domain/events');
  const { discardDeliveries, postgresCheckpoints, sendingDatabase } = await import('@orders/persistence');
  if ((await sendingDatabase(database, { isReadOnly: true })) !== 'copy')
    throw new OperatorError(['--discard-before: this database sends webhooks; run "orders quiet" before']);
  let count = 0;
  for await (const owner of owners(postgresCheckpoints(database), { signal }))
    count += await discardDeliveries(database, owner, before);
  await print(`${count} deliveries were discarded.\n`);
}
