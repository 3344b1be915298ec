import type { Domain, Order } from '@orders/domain';
import type { Timer } from '@orders/domain/events';
import type { BAKERY } from './bakery.ts';

/** An order of the bakery. */
type BakeryOrder = Order<typeof BAKERY>;

/** What the board above the counter says of each order. The compiler requires a text for every status. */
const BOARD: Readonly<Record<BakeryOrder['status'], string>> = {
  received: 'We have your order.',
  baking: 'It is in the oven.',
  ready: 'Come and get it.',
  collected: 'Enjoy!',
  cancelled: 'Cancelled.',
};

/** Returns the line of an order on the board above the counter. */
export function boardLine({ reference, status, custom }: BakeryOrder): string {
  const avoided = custom && custom.allergens.length > 0 ? ` (without ${custom.allergens.join(', ')})` : '';
  return `${reference ?? '–'} ${custom?.pick_up ?? 'any time'}: ${BOARD[status]}${avoided}`;
}

/** The step after each status. A status that is misspelt or missing does not compile. */
const NEXT: Readonly<Record<BakeryOrder['status'], BakeryOrder['status'] | null>> = {
  received: 'baking',
  baking: 'ready',
  ready: 'collected',
  collected: null,
  cancelled: null,
};

/** Moves an order to the next step of the bakery, and returns its line; or why that is not possible. */
export async function advance(
  { getOrder, changeOrder }: Domain<typeof BAKERY>,
  branch: string,
  id: string,
): Promise<string> {
  const found = await getOrder(branch, id);
  if (found.isErr()) return `Failed: ${found.error.type}.`;
  const { status } = found.value;
  const next = NEXT[status];
  if (next === null) return `Nothing follows ${status}.`;
  return await changeOrder(branch, id, { status: next }).match(
    ({ order }) => boardLine(order),
    (error) =>
      error.type === 'invalid_status_transition' ? `It is ${error.current_status} now.` : `Failed: ${error.type}.`,
  );
}

/** Sells a rye bread, and sends the sale again with its key until the outcome is known. Returns the id of its order. */
export async function sell(
  { placeOrder }: Domain<typeof BAKERY>,
  branch: string,
  sale: string,
  timer: Pick<Timer, 'pause'>,
): Promise<string> {
  const items = [{ sku: 'RYE', name: 'Rye bread', quantity: 1, unit_price: { amount: 420, currency: 'EUR' } }];
  for (;;) {
    const placed = await placeOrder(branch, { items }, { idempotencyKey: sale });
    if (placed.isOk()) return placed.value.order.id;
    if (placed.error.type !== 'unavailable') throw new Error(placed.error.type);
    await timer.pause(1000);
  }
}
