import type { LineItem } from '../../../../api/types.ts';
import { useFields } from '../../../../parts/draft.ts';
import { A } from '../texts.ts';

/** Returns what of an item is neither sent nor cancelled. */
export const openOf = (item: LineItem) => item.quantity - item.fulfilled_quantity - item.cancelled_quantity;

/** The quantities that were typed for items, in place of `initial`. */
export function useQuantities(
  key: string,
  items: readonly LineItem[],
  mostOf: (item: LineItem) => number,
  initial: 'all' | 'none',
) {
  const most = items.map((item) => [item.id, initial === 'all' ? String(mostOf(item)) : '0'] as const);
  const { fields, set, discard } = useFields<string>(key, Object.fromEntries(most));
  const rows = items
    .filter((item) => mostOf(item) > 0)
    .map((item) => ({ item, most: mostOf(item), quantity: Number(fields[item.id]) }));
  const body = rows
    .filter(({ quantity }) => quantity > 0)
    .map(({ item, quantity }) => ({ item_id: item.id, quantity }));
  return { rows, set, body, discard };
}

/** A number for each item, up to what it has. */
export function Quantities({ rows, set }: Pick<ReturnType<typeof useQuantities>, 'rows' | 'set'>) {
  return (
    <ul className="mt-3 grid gap-2">
      {rows.map(({ item, most, quantity }) => (
        <li key={item.id} className="flex items-center justify-between gap-3">
          <span className="min-w-0">
            {item.name} <span className="id text-muted">{item.sku}</span>
          </span>
          <span className="flex items-center gap-2 whitespace-nowrap">
            <input
              type="number"
              min={0}
              max={most}
              className="w-20! text-right"
              aria-label={A.quantityOf(item.name, most)}
              value={quantity}
              onChange={({ target }) => set(item.id, String(target.valueAsNumber || 0))}
            />
            <span className="w-10 text-muted">
              {A.of} {most}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}
