import type { OrderDefinition } from '@orders/domain';
import type { Database } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import type { Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { BY_COMMAND, byThisUser, REASON } from './audited.ts';
import { OWNER, readOwner } from './owner.ts';
import { print } from './print.ts';

/** Gives an order a status that its lifecycle does not lead to, also out of one that the definition has lost. */
export const correctOrder: Command = {
  usage: 'correct <id>',
  records: 'itself',
  about: 'gives an order a status that its lifecycle does not lead to, or takes it out of one that the definition lost',
  options: [OWNER, new Option('--status <status>', 'the status that the order gets'), REASON],
  examples: ['correct 019b2a4e-8f00-7000-8000-0000000000a1 --owner shop --status paid --reason "scanned twice"'],
  prepare: async (args, definition) => {
    const { statuses } = definition;
    const [owner, by, [id = '']] = [await readOwner(args), byThisUser(args), args.positionals];
    const { status = '' } = args.values;
    const faults = [
      ...(statuses.includes(status) ? [] : [`--status: must be one of ${statuses.join(', ')}`]),
      ...(by.reason === null ? ['--reason: is required'] : []),
    ];
    if (faults.length > 0) throw new OperatorError(faults);
    return async ({ database, openFor }) => {
      const { withLostStatus } = await import('@orders/domain');
      const { recordedTransactions, UnknownStatus } = await import('@orders/persistence');
      const correctOn = (on: Database<unknown, OrderDefinition>) =>
        recordedTransactions(on)(
          owner,
          ({ domain }) => domain.correctOrder(owner, id, { status, reason: by.reason }, BY_COMMAND),
          ({ order, event }) => ({ ...by, owner, action: 'correct_order', subject: order.id, version: event?.version }),
        );
      const first = await correctOn(database);
      const lost = first.isErr() && 'cause' in first.error ? first.error.cause : null;
      const other = lost instanceof UnknownStatus ? openFor(withLostStatus(definition, lost.status)) : null;
      const corrected = other ? await correctOn(other) : first;
      await other?.close();
      if (corrected.isErr() && corrected.error.type === 'order_not_found')
        throw new OperatorError([`ID: ${owner} has no order ${id}`]);
      const { order, event } = await databaseResult(corrected);
      await print(`${order.id} ${event ? 'is now' : 'was already'} ${status}, version ${order.version}\n`);
    };
  },
};
