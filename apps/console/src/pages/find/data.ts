import { listOrders, searchOrders } from '../../api/orders.ts';
import type { ListedOrder } from '../../api/types.ts';

/** Returns what stands for the text of the find box. */
export function readFound({ text }: Readonly<Record<string, unknown>>): { readonly text?: string } {
  return typeof text === 'string' || typeof text === 'number' ? { text: String(text) } : {};
}

/** The most orders that are shown. */
const FOUND_MAX = 20;

/** Returns the queries for what a text may be. */
function queriesFor(text: string, lookups: readonly string[]): readonly Readonly<Record<string, string>>[] {
  const [, name, value] = /^([\w-]+(?:\.[\w-]+)?):(.+)$/s.exec(text) ?? [];
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return [{ ids: text.toLowerCase() }];
  if (name === undefined || value === undefined) return [{ reference: text }];
  const lookup = name.includes('.') ? name : lookups.includes(name) ? `own.${name}` : `external.${name}`;
  return [{ lookup: `${lookup}:${value}` }, { reference: text }];
}

/** Returns the orders of all owners that a text finds, each once. */
export async function findOrders(
  text: string,
  lookups: readonly string[],
  signal: AbortSignal,
): Promise<readonly ListedOrder[]> {
  if (/^\S+@\S+$/.test(text)) return (await searchOrders(text, FOUND_MAX, signal)).data;
  const pages = await Promise.all(
    queriesFor(text, lookups).map((query) =>
      listOrders({ query: { ...query, limit: FOUND_MAX }, signal }, { all: true }),
    ),
  );
  return [...new Map(pages.flatMap(({ data }) => data).map((order) => [order.id, order])).values()];
}
