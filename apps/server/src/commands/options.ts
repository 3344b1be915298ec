import { parseArgs } from 'node:util';
import type { Owner } from '@orders/domain';
import { SCOPES } from '@orders/http-adapter/settings';
import { OperatorError } from '../operator-error.ts';

/** The values of the options of a command, by name. */
export type Options = Readonly<Record<string, string | undefined>>;

/** Parses `--name value` for each of `names`. Any other argument is an error. */
export function readOptions(args: readonly string[], names: readonly string[]): Options {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    return { ...parseArgs({ args: [...args], options }).values };
  } catch (cause) {
    throw OperatorError.of(cause);
  }
}

/** The owner and the scopes of a new credential. */
interface Grant {
  readonly owner: Owner;
  readonly scopes: readonly string[];
  /** One line for each invalid option. */
  readonly faults: readonly string[];
}

export const GRANT_OPTIONS = ['owner', 'scopes'] as const;
export const GRANT_USAGE = `--owner OWNER --scopes ${SCOPES.join(',')}`;

/** Parses `--owner` and `--scopes`. */
export async function readGrant(options: Options): Promise<Grant> {
  const { isOwner } = await import('@orders/domain');
  const { owner = '' } = options;
  const scopes = options['scopes']?.split(',') ?? [];
  const unknown = scopes.filter((scope) => !SCOPES.some((known) => known === scope));
  const faults = [
    ...(isOwner(owner) ? [] : ['--owner: must be 1 to 255 printable ASCII characters']),
    ...(scopes.length > 0 && unknown.length === 0
      ? []
      : [`--scopes: must be one or more of ${SCOPES.join(',')}, separated by commas`]),
  ];
  return { owner, scopes, faults };
}
