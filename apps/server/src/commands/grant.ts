import { isOwner, type Owner } from '@orders/domain';
import { SCOPES } from '@orders/http-adapter';
import type { Options } from './options.ts';

/** Whose a credential is to be, and what it is to be good for. */
export interface Grant {
  readonly owner: Owner;
  readonly scopes: readonly string[];
  /** What is wrong with it, by option. */
  readonly mistakes: readonly string[];
}

export const GRANT_OPTIONS = ['owner', 'scopes'] as const;
export const GRANT_USAGE = `--owner OWNER --scopes ${SCOPES.join(',')}`;

export function readGrant(options: Options): Grant {
  const { owner = '' } = options;
  const scopes = options['scopes']?.split(',') ?? [];
  const unknown = scopes.filter((scope) => !SCOPES.some((known) => known === scope));
  const mistakes = [
    ...(isOwner(owner) ? [] : ['--owner: must be 1 to 255 printable ASCII characters']),
    ...(scopes.length > 0 && unknown.length === 0 ? [] : [`--scopes: must be some of ${SCOPES.join(',')}`]),
  ];
  return { owner, scopes, mistakes };
}
