import type { Comment, Delivery, Entry, FieldChange, Money } from '../../api/types.ts';
import { words } from '../../parts/format.ts';
import { O } from './texts.ts';

/** How long nothing must happen for the time to be folded, in milliseconds. */
const IDLE_MS = 3_600_000;

/** What the timeline shows one below the other. */
export type Row =
  | { readonly kind: 'entry'; readonly entry: Entry; readonly isNewDay: boolean }
  | { readonly kind: 'comment'; readonly entry: Comment; readonly isNewDay: boolean }
  | { readonly kind: 'idle'; readonly ms: number; readonly key: string }
  | { readonly kind: 'bookkeeping'; readonly entries: readonly Entry[] };

/** Fields that other systems keep for themselves. */
const BOOKKEEPING = new Set(['external_ids', 'metadata']);

function isBookkeeping({ type, changed, money, items, reason, operator_reason }: Entry): boolean {
  return (
    type === 'order.changed' &&
    (reason ?? operator_reason) === null &&
    money === null &&
    items.length === 0 &&
    changed.every((field) => BOOKKEEPING.has(field))
  );
}

/** Returns the rows of a timeline: idle time between entries is one row, and so are two or more changes of bookkeeping. */
export function rowsOf(entries: readonly (Entry | Comment)[]): readonly Row[] {
  const rows: Row[] = [];
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1];
    const [last, pause] = [rows.at(-1), before ? Date.parse(entry.at) - Date.parse(before.at) : 0];
    if (entry.kind === 'change' && before?.kind === 'change' && isBookkeeping(entry) && isBookkeeping(before)) {
      const folded = last?.kind === 'bookkeeping' ? last.entries : [before];
      rows[rows.length - 1] = { kind: 'bookkeeping', entries: [...folded, entry] };
      continue;
    }
    if (pause >= IDLE_MS) rows.push({ kind: 'idle', ms: pause, key: entry.at });
    const shown = rows.findLast((row) => row.kind === 'entry' || row.kind === 'comment');
    const isNewDay = !shown || new Date(shown.entry.at).toDateString() !== new Date(entry.at).toDateString();
    rows.push(entry.kind === 'comment' ? { kind: 'comment', entry, isNewDay } : { kind: 'entry', entry, isNewDay });
  }
  return rows;
}

/** Returns the change of the status of an entry; `undefined` if it changed none, or if it was the first. */
export function statusChange({ changes }: Entry): FieldChange | undefined {
  return changes?.find(({ field, before }) => field === 'status' && before !== null);
}

const VERBS = [
  ['ordered', 'Added'],
  ['fulfilled', 'Sent'],
  ['returned', 'Returned'],
  ['cancelled', 'Cancelled'],
] as const;

const TITLES: Readonly<Record<string, string>> = {
  'order.placed': O.placed,
  'order.imported': O.imported,
  'order.deleted': O.deleted,
  'order.erased': O.erasedEntry,
  'order.adjusted': 'Charged or refunded',
  'order.fulfillment_cancelled': 'Took a fulfillment back',
  'order.corrected': O.corrected,
};

/** Returns what an entry did, in words. */
export function titleOf(entry: Entry): string {
  const { type, items, changed } = entry;
  const known = TITLES[type ?? ''];
  if (known !== undefined) return known;
  const moved = VERBS.flatMap(([name, verb]) => {
    const parts = items.filter((item) => item[name] > 0).map((item) => `${item[name]} × ${item.name}`);
    return parts.length === 0 ? [] : [`${verb} ${listed(parts)}`];
  });
  if (moved.length > 0) return moved.join('; ');
  if (changed.length > 0) return `Changed ${listed(changed.map(words))}`;
  return words((type ?? 'order.changed').replace('order.', ''));
}

function listed(parts: readonly string[]): string {
  return parts.length > 3 ? `${parts.slice(0, 2).join(', ')} and ${O.later(parts.length - 2)}` : parts.join(', ');
}

/** Returns what an entry did to the total; `undefined` for nothing. */
export function moneyOf({ money }: Entry): Money | undefined {
  if (!money) return undefined;
  const amount = money.after.amount - (money.before?.amount ?? 0);
  return amount === 0 ? undefined : { ...money.after, amount };
}

/** Returns why an entry was made, by the owner and by the operator; the same text of a correction is both. */
export function reasonsOf({ reason, operator_reason: operator, changes }: Entry): readonly string[] {
  const cancelled = changes?.find(({ field }) => field === 'cancel_reason')?.after;
  return [...new Set([reason, cancelled, operator])].filter((each) => typeof each === 'string');
}

/** Returns the values that an entry changed besides those that its title and lanes have. */
export function otherChanges({ changes, type }: Entry): readonly FieldChange[] {
  if (type === 'order.placed' || type === 'order.imported') return [];
  return (changes ?? []).filter(
    ({ field }) => !['status', 'available_transitions', 'cancel_reason'].includes(field) && !field.endsWith('_at'),
  );
}

/** Returns deliveries by how they went: what went wrong first. */
export function deliveriesByState(deliveries: readonly Delivery[]) {
  const stateOf = ({ status, attempts }: Delivery) =>
    status === 'delivered' ? 'done' : status === 'failed' ? 'wrong' : attempts > 0 ? 'half' : 'open';
  const groups = Map.groupBy(deliveries, stateOf);
  return (['wrong', 'half', 'open', 'done'] as const).flatMap((state) => {
    const [first, ...others] = groups.get(state) ?? [];
    return first ? [{ state, group: [first, ...others] as const }] : [];
  });
}
