import type { Definition, OrdersEvent } from '@orders/client';
import { Option } from 'commander';
import { OperatorError } from '../../operator-error.ts';
import { type Column, cellsOf, JSON_OUTPUT, printList } from '../list-output.ts';
import { print } from '../print.ts';
import { report } from '../../terminal.ts';
import { apiCommand } from './api-command.ts';
import { valueOf } from './error-lines.ts';
import { LIMIT, readLimit } from './limit.ts';

type AnyEvent = OrdersEvent<Definition>;

const COLUMNS: readonly Column<AnyEvent>[] = [
  { header: 'OCCURRED', cell: ({ occurred_at }) => occurred_at },
  { header: 'POSITION', cell: ({ position }) => String(position) },
  { header: 'TYPE', cell: ({ type }) => type },
  { header: 'RESOURCE', cell: ({ resource }) => resource.id },
  { header: 'VERSION', cell: ({ resource }) => String(resource.version) },
];

export const events = apiCommand({
  usage: 'events',
  about: 'lists events, oldest first; with --follow, prints new ones until it is stopped',
  options: [
    new Option('--follow', 'prints new events until it is stopped').conflicts('limit'),
    new Option('--types <type,type>', 'only events of these types'),
    new Option('--after <cursor>', 'continues where an earlier list ended'),
    LIMIT,
    JSON_OUTPUT,
  ],
  examples: ['events --limit 100', 'events --follow --types order.placed,order.cancelled --json'],
  prepare: (args) => {
    const { values, flags } = args;
    const limit = readLimit(args);
    const query = { types: values['types']?.split(',').filter(isEventType), after: values['after'] };
    return async (orders, signal) => {
      if (flags.has('follow')) {
        const start = query.after === undefined ? ('latest' as const) : undefined;
        for await (const event of orders.events.follow({ ...query, start, signal })) {
          await print(flags.has('json') ? `${JSON.stringify(event)}\n` : lineOf(event));
        }
        return;
      }
      const found: AnyEvent[] = [];
      let after = query.after;
      for (let isComplete = false; !isComplete && found.length < limit;) {
        const left = Math.min(limit - found.length, 100);
        const page = valueOf(await orders.events.page({ ...query, after, limit: left, signal }));
        found.push(...page.data);
        after = page.next_cursor;
        isComplete = page.caught_up;
      }
      await printList(found, COLUMNS, args);
      // Beside the table, so that the output stays what programs read.
      if (!flags.has('json')) report(`continue with --after ${after ?? ''}`);
    };
  },
});

/** The server says which types it has; only the form is checked here. */
function isEventType(type: string): type is AnyEvent['type'] {
  if (/^[a-z_]+\.[a-z0-9_]+$/.test(type)) return true;
  throw new OperatorError([`--types: ${JSON.stringify(type)} is no type of an event, such as order.placed`]);
}

function lineOf(event: AnyEvent): string {
  return `${cellsOf(COLUMNS, event).join('  ')}\n`;
}
