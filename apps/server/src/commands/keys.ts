import { newApiKey } from '@orders/http-adapter/settings';
import type { ListedApiKey } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError, reasonOf } from '../operator-error.ts';
import type { Arguments, Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { GRANT, LISTED, listOfOwner, readGrant, readName } from './grant.ts';
import { byThisUser, REASON } from './audited.ts';
import { type Column, JSON_OUTPUT } from './list-output.ts';
import { OWNER } from './owner.ts';
import { print } from './print.ts';

/** Creates a key and prints it once on standard output. A key that cannot be printed is lost, so it is revoked. */
export const createKey: Command = {
  usage: 'keys create',
  records: 'itself',
  about: 'creates an API key and prints it once',
  options: [
    ...GRANT,
    new Option('--expires-in <time>', 'such as 90d, 12h or 30m; without it, the key never expires'),
    REASON,
  ],
  examples: ['keys create --owner shop --scopes orders:read,orders:write --name "web shop" --expires-in 90d'],
  prepare: async (args) => {
    const { owner, scopes, name, expiresIn } = await readCreateArguments(args.values);
    const by = byThisUser(args);
    return async ({ apiKeys }) => {
      const now = new Date();
      const { key, prefix, hash } = newApiKey();
      const expires_at = expiresIn === undefined ? null : new Date(now.getTime() + expiresIn).toISOString();
      const created_at = now.toISOString();
      await databaseResult(apiKeys.insert({ keyHash: hash, prefix, owner, scopes, name, created_at, expires_at }, by));
      await print(`${key}\n`).catch(async ({ cause }: OperatorError) => {
        await databaseResult(apiKeys.revoke(prefix, new Date().toISOString(), by));
        throw new OperatorError([`standard output: the key could not be printed and is revoked (${reasonOf(cause)})`], {
          cause,
        });
      });
    };
  },
};

const KEY_COLUMNS: readonly Column<ListedApiKey>[] = [
  { header: 'PREFIX', cell: ({ prefix }) => prefix },
  LISTED.name,
  LISTED.owner,
  LISTED.scopes,
  LISTED.created,
  LISTED.lastUsed,
  { header: 'EXPIRES', cell: ({ expires_at }) => expires_at ?? 'never' },
  LISTED.revoked,
];

/** Lists keys, with the prefix to revoke in the first column. */
export const listKeys: Command = {
  usage: 'keys list',
  records: 'nothing',
  about: 'lists the API keys; revoke a key by the prefix in the first column',
  options: [OWNER, JSON_OUTPUT],
  examples: ['keys list', 'keys list --owner shop --json'],
  prepare: listOfOwner(KEY_COLUMNS, ({ apiKeys }, query) => apiKeys.list(query)),
};

/** Renames a key. */
export const renameKey: Command = {
  usage: 'keys rename <prefix> <name>',
  records: 'itself',
  about: 'renames an API key',
  options: [REASON],
  examples: ['keys rename ord_1a2b3c4d5e "web shop"'],
  prepare: (args) => {
    const [[prefix = ''], name, by] = [args.positionals, readName(args.positionals[1]), byThisUser(args)];
    return async ({ apiKeys }) => {
      if (!(await databaseResult(apiKeys.rename(prefix, name, by))))
        throw new OperatorError([`PREFIX: no key has the prefix ${prefix}; keys list lists all keys`]);
    };
  },
};

/** Revokes a key. Servers that have cached it accept it for up to 30 more seconds. */
export const revokeKey: Command = {
  usage: 'keys revoke <prefix>',
  records: 'itself',
  about: 'revokes an API key',
  options: [REASON],
  examples: ['keys revoke ord_1a2b3c4d5e'],
  prepare: (args) => {
    const [[prefix = ''], by] = [args.positionals, byThisUser(args)];
    return async ({ apiKeys }) => {
      if (!(await databaseResult(apiKeys.revoke(prefix, new Date().toISOString(), by))))
        throw new OperatorError([`PREFIX: no unrevoked key has the prefix ${prefix}; keys list lists all keys`]);
    };
  },
};

async function readCreateArguments(values: Arguments['values']) {
  const { faults, ...grant } = await readGrant(values);
  const lifetime = values['expires-in'];
  const expiresIn = lifetime === undefined ? undefined : milliseconds(lifetime);
  const all = [
    ...faults,
    ...(expiresIn === null
      ? ['--expires-in: must be a number of days, hours or minutes, such as 90d, 12h or 30m']
      : []),
  ];
  if (all.length > 0) throw new OperatorError(all);
  return { ...grant, expiresIn: expiresIn ?? undefined };
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000 };

function milliseconds(text: string): number | null {
  const [, amount, unit = ''] = /^([1-9][0-9]{0,5})([dhm])$/.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * (UNITS[unit] ?? 0);
}
