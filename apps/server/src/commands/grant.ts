import type { Owner, Page } from '@orders/domain';
import type { CredentialQuery, ListedClientCertificate } from '@orders/persistence';
import { Option } from 'commander';
import type { ResultAsync } from 'neverthrow';
import { allPages } from '../database/all-pages.ts';
import type { Store } from '../database/store.ts';
import { OperatorError } from '../operator-error.ts';
import { isLine, NAME_LENGTH_MAX, SCOPES } from '@orders/http-adapter/settings';
import type { Arguments, Command } from './command.ts';
import { type Column, listWith } from './list-output.ts';
import { OWNER, OWNER_FAULT, readOwner } from './owner.ts';

/** The owner and the scopes of a new credential. */
interface Grant {
  readonly owner: Owner;
  readonly scopes: readonly string[];
  readonly name: string | null;
  /** One line for each invalid option. */
  readonly faults: readonly string[];
}

/** The options of a new credential. */
export const GRANT = [
  OWNER,
  new Option('--scopes <scope,scope>', `what it may do, some of ${SCOPES.join(', ')}`),
  new Option('--name <name>', 'what lists call it, such as "web shop"; not a person'),
];

/** What a list shows of a credential in any case. */
export const LISTED = {
  name: { header: 'NAME', cell: ({ name }) => name ?? '-' },
  owner: { header: 'OWNER', cell: ({ owner }) => owner },
  scopes: { header: 'SCOPES', cell: ({ scopes }) => scopes.join(',') },
  created: { header: 'CREATED', cell: ({ created_at }) => created_at },
  lastUsed: { header: 'LAST USED', cell: ({ last_used_at }) => last_used_at ?? '-' },
  revoked: { header: 'REVOKED', cell: ({ revoked_at }) => revoked_at ?? '-' },
} satisfies Readonly<Record<string, Column<Omit<ListedClientCertificate, 'identity'>>>>;

/** Parses `--owner`, `--scopes` and `--name`. */
export async function readGrant({ owner = '', scopes: text, name: given }: Arguments['values']): Promise<Grant> {
  const { isOwner } = await import('@orders/domain');
  const scopes = text?.split(',') ?? [];
  const name = given ?? null;
  const unknown = scopes.filter((scope) => !SCOPES.some((known) => known === scope));
  const faults = [
    ...(isOwner(owner) ? [] : [OWNER_FAULT]),
    ...(scopes.length > 0 && unknown.length === 0
      ? []
      : [`--scopes: must be one or more of ${SCOPES.join(',')}, separated by commas`]),
    ...(name === null || isLine(name, NAME_LENGTH_MAX) ? [] : [`--name: ${NAME_RULE}`]),
  ];
  return { owner, scopes, name, faults };
}

/** What a name must be. */
export const NAME_RULE = `must be 1 to ${NAME_LENGTH_MAX} characters on one line`;

/**
 * Parses the positional argument `name`.
 *
 * @throws {OperatorError} it is no name
 */
export function readName(name = ''): string {
  if (isLine(name.trim(), NAME_LENGTH_MAX)) return name.trim();
  throw new OperatorError([`NAME: ${NAME_RULE}`]);
}

/** Returns the preparation of a command that lists the credentials of `--owner`, or of all owners. */
export function listOfOwner<Row>(
  columns: readonly Column<Row>[],
  list: (store: Store, query: CredentialQuery) => ResultAsync<Page<Row, string>, { readonly type: string }>,
): Command['prepare'] {
  return async (args, ...rest) => {
    const owner = args.values['owner'] === undefined ? undefined : await readOwner(args);
    return await listWith(columns, (store) => allPages((page) => list(store, { owner, ...page })))(args, ...rest);
  };
}
