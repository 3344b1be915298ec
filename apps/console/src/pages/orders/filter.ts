import { findOwner, ownerOfDigest } from '../../api/owner-digest.ts';
import { shellWord } from '../../parts/copy.tsx';
import { toMinorUnits } from '../../parts/format.ts';

/** What a list of orders is filtered by, as it stands in the URL. */
export interface Filter {
  readonly status?: string | undefined;
  /** The digest of an owner. */
  readonly owner?: string | undefined;
  readonly reference?: string | undefined;
  readonly lookup?: string | undefined;
  /** Orders that were placed at this time or later, and before this one; UTC. */
  readonly from?: string | undefined;
  readonly before?: string | undefined;
  /** Totals in this currency, in its units, from and to. */
  readonly currency?: string | undefined;
  readonly over?: string | undefined;
  readonly under?: string | undefined;
  /** The cursor of the page. */
  readonly after?: string | undefined;
}

const NAMES = [
  'status',
  'owner',
  'reference',
  'lookup',
  'from',
  'before',
  'currency',
  'over',
  'under',
  'after',
] as const;

/** Returns the filter of a URL. */
export function readFilter(search: Readonly<Record<string, unknown>>): Filter {
  const texts = NAMES.flatMap((name): readonly (readonly [string, string])[] => {
    const value = search[name];
    return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
  });
  const filter: Readonly<Record<string, string>> = Object.fromEntries(texts);
  return filter;
}

/** Returns the members of a filter as the API has them, in lists and in jobs. */
function membersOf({ from, before, currency, over, under, reference, lookup }: Filter) {
  const minor = (text: string | undefined) =>
    text === undefined || currency === undefined ? undefined : toMinorUnits(text, currency);
  const times = { created_at_from: from, created_at_before: before };
  return { reference, lookup, ...times, currency, total_from: minor(over), total_to: minor(under) };
}

/** Returns the request for a page of a filter. */
export async function requestOf(filter: Filter, limit: number, signal: AbortSignal) {
  const { owner, status, after } = filter;
  return {
    owner: owner === undefined ? undefined : await findOwner(owner, signal),
    signal,
    query: { limit, status, after, ...membersOf(filter) },
  };
}

/** Returns the filter of a job that cancels what the list shows; undefined for a list that no job can act on. */
export function jobFilterOf(filter: Filter) {
  const owner = filter.owner === undefined ? undefined : ownerOfDigest(filter.owner);
  // Without the owner whom it names, a filter would be one of all owners. Lookups of custom data are not stored.
  if ((filter.owner !== undefined && owner === undefined) || filter.lookup?.startsWith('own.') === true)
    return undefined;
  return { owner, statuses: filter.status?.split(','), ...membersOf(filter) };
}

/** Returns the command that exports the same of one owner; undefined for what it does not filter by. */
export function exportCommandOf({ owner: digest, status, reference, lookup, from, before, currency }: Filter) {
  const owner = digest && ownerOfDigest(digest);
  if (owner === undefined || currency !== undefined) return undefined;
  const options = Object.entries({ owner, status, reference, lookup, from, before }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shellWord(value)}`],
  );
  return ['orders export', ...options, '--out orders.ndjson'].join(' ');
}

/** Returns the command that finds the same. */
export function commandOf({ status, owner, reference, lookup, from, before, currency, over, under }: Filter): string {
  const options = [
    ['owner', owner === undefined ? undefined : ownerOfDigest(owner)],
    ['status', status],
    ['from', from],
    ['before', before],
    ['currency', currency],
    ['total-from', over],
    ['total-to', under],
  ] as const;
  const words = [
    reference ?? lookup,
    ...options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
  ];
  return ['orders find', ...words.filter((word) => word !== undefined).map(shellWord)].join(' ');
}
