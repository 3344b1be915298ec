import type { OwnerChange, OwnerSettings } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import { byThisUser, REASON } from './audited.ts';
import type { Arguments, Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { type Column, JSON_OUTPUT, listWith } from './list-output.ts';
import { OWNER, readOwner } from './owner.ts';

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

const limitOf = (policy: keyof typeof POLICIES): Column<OwnerSettings> => ({
  header: policy.toUpperCase(),
  cell: ({ rate_limits }) => `${rate_limits?.[policy] ?? '-'}`,
  isNumber: true,
});
const COLUMNS: readonly Column<OwnerSettings>[] = [
  { header: 'OWNER', cell: ({ owner }) => owner },
  { header: 'SUSPENDED', cell: ({ suspended_at }) => suspended_at ?? '-' },
  ...(['read', 'write', 'batch'] as const).map(limitOf),
];

/** Lists the owners for whom something is set. */
export const listSuspended: Command = {
  usage: 'suspended',
  about: 'lists the suspended owners, and those with rate limits of their own',
  options: [JSON_OUTPUT],
  examples: ['suspended', 'suspended --json'],
  prepare: async (args, ...rest) => {
    const { postgresOwnerSettings } = await import('@orders/persistence');
    return await listWith(COLUMNS, ({ database }) => postgresOwnerSettings(database).list(null, 10_000))(args, ...rest);
  },
};
