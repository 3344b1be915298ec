import type { Owner } from '@orders/domain';
import { Option } from 'commander';
import { SCOPES } from '@orders/http-adapter/settings';
import type { Arguments } from './command.ts';
import { OWNER, OWNER_FAULT } from './owner.ts';

/** The owner and the scopes of a new credential. */
interface Grant {
  readonly owner: Owner;
  readonly scopes: readonly string[];
  /** One line for each invalid option. */
  readonly faults: readonly string[];
}

/** The options of a new credential. */
export const GRANT = [OWNER, new Option('--scopes <scope,scope>', `what it may do, some of ${SCOPES.join(', ')}`)];

/** Parses `--owner` and `--scopes`. */
export async function readGrant({ owner = '', scopes: text }: Arguments['values']): Promise<Grant> {
  const { isOwner } = await import('@orders/domain');
  const scopes = text?.split(',') ?? [];
  const unknown = scopes.filter((scope) => !SCOPES.some((known) => known === scope));
  const faults = [
    ...(isOwner(owner) ? [] : [OWNER_FAULT]),
    ...(scopes.length > 0 && unknown.length === 0
      ? []
      : [`--scopes: must be one or more of ${SCOPES.join(',')}, separated by commas`]),
  ];
  return { owner, scopes, faults };
}
