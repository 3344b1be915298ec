import { isOwner } from '@orders/domain';
import { newApiKey, SCOPES } from '@orders/http-adapter';
import type { ResultAsync } from 'neverthrow';
import { parseArgs } from 'node:util';
import { StartupError } from '../startup-error.ts';
import type { Command } from './command.ts';

/** Makes a key and prints it, alone, on standard output: it is never shown again. */
export const createKey: Command = {
  usage: `keys create --owner OWNER --scopes ${SCOPES.join(',')} [--expires-in 90d]`,
  prepare: (args) => {
    const { owner, scopes, expiresIn } = readCreateArguments(args);
    return async ({ apiKeys }) => {
      const now = new Date();
      const { key, prefix, hash } = newApiKey();
      const expires_at = expiresIn === undefined ? null : new Date(now.getTime() + expiresIn).toISOString();
      const created_at = now.toISOString();
      await done(apiKeys.insert({ keyHash: hash, prefix, owner, scopes, created_at, expires_at }));
      process.stdout.write(`${key}\n`);
    };
  },
};

/** Lists keys, the prefix to revoke by in the first column. */
export const listKeys: Command = {
  usage: 'keys list',
  prepare: (args) => {
    if (args.length > 0) throw new StartupError(['keys list takes no arguments']);
    return async ({ apiKeys }) => {
      for (const key of await done(apiKeys.list())) {
        const state = key.revoked_at ? `revoked ${key.revoked_at}` : `expires ${key.expires_at ?? 'never'}`;
        process.stdout.write(`${[key.prefix, key.owner, key.scopes.join(','), key.created_at, state].join('\t')}\n`);
      }
    };
  },
};

/** Ends a key. Servers that know it let it in for 30 seconds more at most. */
export const revokeKey: Command = {
  usage: 'keys revoke PREFIX',
  prepare: ([prefix, ...rest]) => {
    if (prefix === undefined || rest.length > 0) throw new StartupError(['PREFIX: name one key']);
    return async ({ apiKeys }) => {
      const revoked = await done(apiKeys.revoke(prefix, new Date().toISOString()));
      if (!revoked) throw new StartupError([`PREFIX: no key that is still good begins with ${prefix}`]);
    };
  },
};

async function done<T>(result: ResultAsync<T, { readonly cause: unknown }>): Promise<T> {
  return await result.match(
    (value) => value,
    ({ cause }) => {
      throw new StartupError([`the database cannot be asked: ${String(cause)}`], { cause });
    },
  );
}

function readCreateArguments(args: readonly string[]) {
  const values = readOptions(args);
  const scopes = values.scopes?.split(',') ?? [];
  const unknown = scopes.filter((scope) => !SCOPES.some((known) => known === scope));
  const expiresIn = values['expires-in'] === undefined ? undefined : milliseconds(values['expires-in']);
  const owner = values.owner ?? '';
  const mistakes = [
    ...(isOwner(owner) ? [] : ['--owner: must be 1 to 255 printable ASCII characters']),
    ...(scopes.length > 0 && unknown.length === 0 ? [] : [`--scopes: must be some of ${SCOPES.join(',')}`]),
    ...(expiresIn === null ? ['--expires-in: must be a number of days, hours or minutes such as 90d, 12h, 30m'] : []),
  ];
  if (mistakes.length > 0) throw new StartupError(mistakes);
  return { owner, scopes, expiresIn: expiresIn ?? undefined };
}

function readOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: { owner: { type: 'string' }, scopes: { type: 'string' }, 'expires-in': { type: 'string' } },
    }).values;
  } catch (cause) {
    throw new StartupError([cause instanceof Error ? cause.message : String(cause)], { cause });
  }
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000 };

function milliseconds(text: string): number | null {
  const [, amount, unit = ''] = /^([1-9][0-9]{0,5})([dhm])$/.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * (UNITS[unit] ?? 0);
}
