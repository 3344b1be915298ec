import type { Definition, Money, StatisticsRow } from '@orders/client';
import { Option } from 'commander';
import type { Command } from './command.ts';
import { type Column, JSON_OUTPUT, printList } from './list-output.ts';
import { ofEachOwner, OWNER } from './owner.ts';
import { print } from './print.ts';
import { apiCommand } from './api/api-command.ts';
import { valueOf } from './api/error-lines.ts';

const columnsWith = (moneyOf: (money: Money) => string): readonly Column<StatisticsRow<Definition>>[] => [
  { header: 'START', cell: ({ start }) => start },
  { header: 'STATUS', cell: ({ status }) => status },
  { header: 'ORDERS', cell: ({ orders }) => String(orders), isNumber: true },
  {
    header: 'TOTAL',
    cell: ({ total, currency }) => (total === null ? `> 2^53 ${currency}` : moneyOf({ amount: total, currency })),
    isNumber: true,
  },
];

const INTERVALS = ['hour', 'day', 'month'] as const;

/** The days before the end of the range that are shown by default. */
const DEFAULT_DAYS = { hour: 1, day: 30, month: 365 };

export const showStatistics = apiCommand({
  usage: 'stats',
  about: 'counts orders by hour, day or month: placed, and entered each status; by default those of the last 30 days',
  options: [
    new Option('--interval <interval>', 'how long the time of a line is').choices(INTERVALS).default('day'),
    new Option('--from <time>', 'from this time on, such as 2026-01-31T00:00:00+01:00'),
    new Option('--before <time>', 'up to this time; without it, up to now'),
    new Option('--time-zone <zone>', 'where days begin, such as Europe/Berlin; without it, UTC'),
    JSON_OUTPUT,
  ],
  examples: ['stats', 'stats --interval hour --from 2026-01-31T00:00:00+01:00 --time-zone Europe/Berlin'],
  prepare: (args) => {
    const { from, before, 'time-zone': time_zone } = args.values;
    const interval = INTERVALS.find((known) => known === args.values['interval']) ?? 'day';
    return async (orders, signal) => {
      const end = before ?? new Date().toISOString();
      const begin = from ?? daysBefore(end, DEFAULT_DAYS[interval]);
      const query = { interval, from: begin, before: end, time_zone, signal } as const;
      const { data } = valueOf(await orders.statistics(query));
      const { moneyOf } = await import('./api/printed.ts');
      await printList(data, columnsWith(moneyOf), args);
    };
  },
});

/** Returns the time so many days before another one, which may be no time: the server says so. */
function daysBefore(time: string, days: number): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : new Date(at - days * 24 * 60 * 60 * 1000).toISOString();
}

/** Counts orders again, one owner after the other. May be repeated, and run beside servers. */
export const rebuildStatistics: Command = {
  usage: 'statistics rebuild',
  records: () => ({ action: 'rebuild_statistics', subject: null }),
  about: 'counts the orders of an owner, or of all owners, again',
  options: [OWNER],
  examples: ['statistics rebuild', 'statistics rebuild --owner shop'],
  prepare: ofEachOwner(async (owners, { database }) => {
    const { rebuildStatistics: rebuild } = await import('@orders/persistence');
    let count = 0;
    for await (const each of owners) {
      await rebuild(database, each);
      count += 1;
    }
    await print(count === 1 ? '1 owner was counted again.\n' : `${count} owners were counted again.\n`);
  }),
};
