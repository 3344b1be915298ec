import type { OrderDefinition, Position } from '@orders/domain';
import type { OrderTimeline, TimelineEntry } from '@orders/domain/operators';
import type { OrdersDatabase } from '@orders/persistence';
import { OperatorError } from '../operator-error.ts';
import { byThisUser, REASON } from './audited.ts';
import type { Arguments, Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { firstOrders, readQuery } from './find.ts';
import { JSON_OUTPUT } from './list-output.ts';
import { OWNER, readOwner } from './owner.ts';
import { print } from './print.ts';

/** Prints what happened to an order, which is recorded: it has personal data. */
export const showHistory: Command = {
  usage: 'history <what>',
  records: 'itself',
  about: 'prints what happened to an order: versions, who made them, and where their events were sent',
  options: [OWNER, REASON, JSON_OUTPUT],
  examples: ['history PO-4711', 'history 019b2a4e-8f00-7000-8000-0000000000a1 --owner shop --json'],
  prepare: async (args, definition) => {
    const find = await orderOf(args, definition);
    const by = byThisUser(args);
    return async ({ database }, signal) => {
      const { postgresAudit, postgresTimelines } = await import('@orders/persistence');
      const { readTimeline } = await import('@orders/domain/operators');
      const { entryLines, summaryLines } = await import('./history-lines.ts');
      const { owner, id } = await find(database, signal);
      const timelines = postgresTimelines(database);
      const entry = { ...by, owner, action: 'get_order_timeline', subject: id };
      const entries: TimelineEntry[] = [];
      let summary: OrderTimeline['summary'] = null;
      for (let after: Position<string> | undefined, isFirst = true; ; isFirst = false) {
        signal.throwIfAborted();
        const read = await readTimeline(timelines, owner, id, { limit: 100, after });
        if (read.isErr() && read.error.type === 'order_not_found')
          throw new OperatorError([`WHAT: ${owner} has no order ${id}`]);
        const page: OrderTimeline = await databaseResult(read);
        if (isFirst) await databaseResult(postgresAudit(database).record(entry));
        summary ??= page.summary;
        if (args.flags.has('json')) entries.push(...page.data);
        else
          await print(
            [...(isFirst && summary ? summaryLines(owner, summary) : []), ...page.data.flatMap(entryLines)].join(''),
          );
        if (page.next === null) break;
        after = page.next;
      }
      if (args.flags.has('json')) await print(`${JSON.stringify({ owner, summary, data: entries }, null, 2)}\n`);
    };
  },
};

/** Returns what finds the one order that the arguments name. With `--owner` and an id, it may be deleted. */
async function orderOf(args: Arguments, definition: OrderDefinition) {
  const { isUuid } = await import('@orders/domain');
  const owner = args.values['owner'] === undefined ? null : await readOwner(args);
  const [id = ''] = args.positionals;
  const query = await readQuery(args, definition);
  return async (database: OrdersDatabase, signal: AbortSignal) => {
    if (owner !== null && isUuid(id)) return { owner, id: id.toLowerCase() };
    const found = await firstOrders(database, owner, query, 2, signal);
    const [only, other] = found;
    if (!only) throw new OperatorError(['WHAT: a deleted order is found by its id, with --owner']);
    if (other)
      throw new OperatorError([`WHAT: several orders; choose one by its id, with --owner: find ${id} lists them`]);
    return only;
  };
}
