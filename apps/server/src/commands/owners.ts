import type { ListedOwner, ListedOwners, OwnerChange } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import { LIMIT, readLimit } from './api/limit.ts';
import { byThisUser, REASON } from './audited.ts';
import type { Arguments, Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { type Column, JSON_OUTPUT, printList } from './list-output.ts';
import { OWNER, readOwner } from './owner.ts';
import { report } from '../terminal.ts';

/** A command that changes what is set for an owner. `unchanged` says of the owner why it did nothing. */
function ownerChange({
  read,
  unchanged,
  ...command
}: Pick<Command, 'usage' | 'about' | 'options' | 'examples'> & {
  readonly read: (args: Arguments) => OwnerChange;
  readonly unchanged: string;
}): Command {
  return {
    ...command,
    records: 'itself',
    options: [OWNER, ...(command.options ?? []), REASON],
    prepare: async (args) => {
      const [owner, change, by] = [await readOwner(args), read(args), byThisUser(args)];
      return async ({ database }) => {
        const { postgresOwnerSettings } = await import('@orders/persistence');
        const at = new Date().toISOString();
        const { isChanged } = await databaseResult(postgresOwnerSettings(database).change(owner, change, at, by));
        if (!isChanged) throw new OperatorError([`--owner: ${owner} ${unchanged}`]);
      };
    },
  };
}

/** Suspends an owner. */
export const suspendOwner = ownerChange({
  usage: 'suspend',
  about: 'refuses the requests of an owner, within ten seconds on all servers',
  examples: ['suspend --owner shop --reason "a ticket"'],
  read: () => ({ suspended: true }),
  unchanged: 'is suspended already',
});

/** Ends a suspension. */
export const resumeOwner = ownerChange({
  usage: 'resume',
  about: 'ends the suspension of an owner',
  examples: ['resume --owner shop --reason "a ticket"'],
  read: () => ({ suspended: false }),
  unchanged: 'is not suspended',
});

const POLICIES = { read: 'reads', write: 'writes', batch: 'orders in batches' } as const;

/** Gives an owner rate limits of its own, or ends them. */
export const limitOwner = ownerChange({
  usage: 'limit',
  about: 'gives an owner rate limits of its own, within ten seconds on all servers; without any, ends them',
  options: Object.entries(POLICIES).map(
    ([policy, what]) => new Option(`--${policy} <number>`, `the ${what} per minute; 0 for no limit`),
  ),
  examples: ['limit --owner shop --read 6000 --write 1200', 'limit --owner shop'],
  read: ({ values }) => {
    const faults: string[] = [];
    const read = (policy: keyof typeof POLICIES) => {
      const sent = values[policy];
      if (sent === undefined) return null;
      if (!/^\d{1,10}$/.test(sent) || Number(sent) > 1_000_000_000)
        faults.push(`--${policy}: must be a whole number from 0 to 1000000000`);
      return Number(sent);
    };
    const limits = { read: read('read'), write: read('write'), batch: read('batch') };
    if (faults.length > 0) throw new OperatorError(faults);
    return { rate_limits: Object.values(limits).every((each) => each === null) ? null : limits };
  },
  unchanged: 'has these limits already',
});

const limitOf = (policy: keyof typeof POLICIES): Column<ListedOwner> => ({
  header: policy.toUpperCase(),
  cell: ({ rate_limits }) => `${rate_limits?.[policy] ?? '-'}`,
  isNumber: true,
});

/** Returns the columns of owners, of which one for each status that some of their orders have entered. */
function columnsOf(owners: readonly ListedOwner[]): readonly Column<ListedOwner>[] {
  const statuses = new Set(owners.flatMap(({ orders }) => orders?.by_status.map(({ status }) => status) ?? []));
  const countOf = (status: string): Column<ListedOwner> => ({
    header: status.toUpperCase(),
    cell: ({ orders }) => `${orders ? (orders.by_status.find((each) => each.status === status)?.orders ?? 0) : '-'}`,
    isNumber: true,
  });
  return [
    { header: 'OWNER', cell: ({ owner }) => owner },
    { header: 'FIRST EVENT', cell: ({ first_event_at }) => first_event_at ?? '-' },
    { header: 'LAST EVENT', cell: ({ last_event_at }) => last_event_at ?? '-' },
    ...[...statuses].map(countOf),
    { header: 'SUSPENDED', cell: ({ suspended_at }) => suspended_at ?? '-' },
    ...(['read', 'write', 'batch'] as const).map(limitOf),
  ];
}

/** The owners of a page. */
const PAGE = 100;

/** Lists owners. */
export const listOwners: Command = {
  usage: 'owners',
  records: 'nothing',
  about: 'lists the owners with events: the first and last that are kept, orders by status, what is set for them',
  options: [OWNER, new Option('--set', 'those who are suspended or have rate limits of their own'), LIMIT, JSON_OUTPUT],
  examples: ['owners', 'owners --set', 'owners --owner shop --json'],
  prepare: async (args) => {
    const one = args.values['owner'] === undefined ? null : await readOwner(args);
    const limit = readLimit(args);
    return async ({ database }) => {
      const { postgresOwners } = await import('@orders/persistence');
      const owners = postgresOwners(database);
      const read = (after: string | null, size: number) => {
        if (one !== null) return owners.describe([one]);
        return args.flags.has('set') ? owners.listSet(after, size) : owners.list(after, size);
      };
      const found: ListedOwner[] = [];
      let isComplete = true;
      for (let after: string | null | undefined; after !== null && found.length < limit;) {
        const page: ListedOwners = await databaseResult(read(after ?? null, Math.min(PAGE, limit - found.length)));
        found.push(...page.owners);
        isComplete &&= page.is_complete;
        after = page.next;
      }
      await printList(found, columnsOf(found), args);
      if (!isComplete) report('orders: not all is shown: a node of the database did not respond, or took too long');
    };
  },
};
