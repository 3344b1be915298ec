import type { OrderDefinition, Owner, Position } from '@orders/domain';
import type { ListedOrder, OrdersOfOwners, OwnersOrderQuery } from '@orders/domain/operators';
import type { OrdersDatabase } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import { report } from '../terminal.ts';
import { LIMIT, readLimit } from './api/limit.ts';
import type { Arguments, Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { type Column, JSON_OUTPUT, printList } from './list-output.ts';
import { OWNER, readOwner } from './owner.ts';

const COLUMNS = (moneyOf: (money: ListedOrder['total']) => string): readonly Column<ListedOrder>[] => [
  { header: 'OWNER', cell: ({ owner }) => owner },
  { header: 'ID', cell: ({ id }) => id },
  { header: 'REFERENCE', cell: ({ reference }) => reference ?? '-' },
  { header: 'STATUS', cell: ({ status }) => status },
  { header: 'TOTAL', cell: ({ total }) => moneyOf(total), isNumber: true },
  { header: 'CREATED', cell: ({ created_at }) => created_at },
];

/** Finds orders of all owners, or of one. */
export const findOrders: Command = {
  usage: 'find [what]',
  // What is found by an email or custom data confirms that a person is there.
  records: async ({ positionals: [what = ''] }) => {
    const { OWN_PREFIX } = await import('@orders/domain');
    if (what.includes('@')) return { action: 'search_all_orders', subject: null };
    return what.startsWith(OWN_PREFIX) ? { action: 'list_all_orders', subject: null } : null;
  },
  about: 'finds orders of all owners, or of one: by id, reference, lookup or email, or by status, time and total',
  options: [
    OWNER,
    new Option('--status <status,status>', 'in one of these statuses'),
    new Option('--from <time>', 'created at this time, such as 2026-01-31T00:00:00+01:00, or later'),
    new Option('--before <time>', 'created before this time'),
    new Option('--currency <code>', 'in this currency'),
    new Option('--total-from <amount>', 'with this total or more, such as 1000 or 999.95'),
    new Option('--total-to <amount>', 'with this total or less'),
    LIMIT,
    JSON_OUTPUT,
  ],
  examples: [
    'find PO-4711',
    'find ada@example.com --owner shop',
    'find --from 2026-01-27T00:00:00Z --before 2026-01-28T00:00:00Z --currency EUR --total-from 1000',
  ],
  prepare: async (args, definition) => {
    const owner = args.values['owner'] === undefined ? null : await readOwner(args);
    const [limit, query] = [readLimit(args), await readQuery(args, definition)];
    return async ({ database }, signal) => {
      const { moneyOf } = await import('./api/printed.ts');
      await printList(await firstOrders(database, owner, query, limit, signal), COLUMNS(moneyOf), args);
    };
  },
};

/** Returns the first orders of one owner or all, and reports what was not looked at, and when there are none. */
export async function firstOrders(
  database: OrdersDatabase,
  owner: Owner | null,
  query: OwnersOrderQuery,
  limit: number,
  signal: AbortSignal,
): Promise<readonly ListedOrder[]> {
  const { postgresOrderFinder } = await import('@orders/persistence');
  const finder = postgresOrderFinder(database);
  const found: ListedOrder[] = [];
  const passedOver = new Set<Owner>();
  for (let after: Position<string> | null = null; ;) {
    signal.throwIfAborted();
    const page: OrdersOfOwners = await databaseResult(
      finder.find(owner, { ...query, limit: Math.min(limit, 100) }, after),
    );
    found.push(...page.data);
    for (const each of page.passedOver) passedOver.add(each);
    after = page.next;
    if (found.length < limit && after !== null) continue;
    if (after !== null && owner === null)
      report(`more may follow: looked at ${page.lookedAt} of ${page.owners ?? 'an unknown number of'} owners`);
    break;
  }
  if (passedOver.size > 0) report(`could not look at ${[...passedOver].join(', ')}`);
  if (found.length === 0) report(owner === null ? 'no owner has such an order' : `${owner} has no such order`);
  return found.slice(0, limit);
}

/**
 * Parses what orders are found by.
 *
 * @throws {OperatorError} it is invalid
 */
export async function readQuery(
  { positionals: [what], values }: Arguments,
  definition: OrderDefinition,
): Promise<OwnersOrderQuery> {
  const { isUuid } = await import('@orders/domain');
  const { parseOwnersOrderQuery, parseOwnersOrderSearch } = await import('@orders/domain/operators');
  const { status, from, before, currency, 'total-from': least, 'total-to': most } = values;
  const query = parseOwnersOrderQuery(
    {
      ...(what !== undefined && !what.includes('@') && pointOf(what, isUuid)),
      status: status?.split(','),
      created_at_from: from,
      created_at_before: before,
      currency,
      total_from: await minorUnitsOf(least, currency),
      total_to: await minorUnitsOf(most, currency),
    },
    definition,
  );
  const search = what?.includes('@') ? parseOwnersOrderSearch({ buyer_email: what }, definition) : undefined;
  const errors = [query, search].flatMap((parsed) => (parsed?.isErr() ? parsed.error.errors : []));
  if (errors.length > 0)
    throw new OperatorError(errors.map(({ field, message }) => `${OPTIONS[field] ?? 'WHAT'}: ${message}`));
  return { ...query._unsafeUnwrap(), ...(search && { lookup: search._unsafeUnwrap().lookup }) };
}

/** The options that the fields of a query come from. The others come from the argument. */
const OPTIONS: Readonly<Record<string, string>> = {
  status: '--status',
  created_at_from: '--from',
  created_at_before: '--before',
  currency: '--currency',
  total_from: '--total-from',
  total_to: '--total-to',
};

function pointOf(what: string, isUuid: (text: string) => boolean) {
  if (isUuid(what)) return { ids: [what] };
  return /^(?:external|own)\.[^:]+:/.test(what) ? { lookup: what } : { reference: what };
}

/** Returns an amount such as 999.95 in the minor units of its currency. What is no amount stays, and is rejected later. */
async function minorUnitsOf(amount: string | undefined, currency = ''): Promise<string | undefined> {
  const { CURRENCIES, minorUnits, WITHDRAWN_CURRENCIES } = await import('@orders/domain');
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount ?? '') ?? [];
  const digits = [...CURRENCIES, ...WITHDRAWN_CURRENCIES].includes(currency) ? minorUnits(currency) : 0;
  if (whole === undefined || fraction.length > digits) return amount;
  return `${whole}${fraction.padEnd(digits, '0')}`.replace(/^0+(?=\d)/, '');
}
