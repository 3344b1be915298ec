import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { PlaceOrderError } from '@orders/domain';
import { type Database, TransactionFailed } from '@orders/persistence';
import { err, ok, type Result } from 'neverthrow';
import { PickUp } from './pick-up.ts';

const ATTEMPTS_MAX = 5;
const TEA = { sku: 'TEA-100', name: 'Green tea, 100 g', quantity: 1, unit_price: { amount: 650, currency: 'EUR' } };

type SaleError = PlaceOrderError | TransactionFailed;

/** Stores a sale as an order and its pick-up: both or neither, however often it is called with this number. */
async function sellOnce(database: Database<EntityManager>, sale: number): Promise<Result<string, SaleError>> {
  return await database.transaction(async ({ domain, em }) => {
    const order = { items: [TEA], metadata: { sale: String(sale) } };
    const placed = await domain.placeOrder('shop', order, { idempotencyKey: `sale-${sale}` });
    if (placed.isErr()) return err(placed.error);
    const { id } = placed.value.order;
    // The transaction that placed the order has stored its pick-up, too.
    if (placed.value.replayed) return ok(id);
    em.create(PickUp, { id: randomUUID(), order_id: id, sale, shelf: `shelf ${sale % 10}` });
    return ok(id);
  });
}

/** Stores a sale, in further attempts where one may help. */
export async function sell(database: Database<EntityManager>, sale: number): Promise<Result<string, SaleError>> {
  for (let attempt = 1; ; attempt += 1) {
    const sold = await sellOnce(database, sale);
    if (sold.isOk() || attempt === ATTEMPTS_MAX || !mayRetry(sold.error)) return sold;
    await sleep(Math.random() * 20 * 2 ** attempt);
  }
}

/** Whether nothing was stored. When that is unknown, the key of the sale makes a further attempt safe. */
function mayRetry(error: SaleError): boolean {
  return error instanceof TransactionFailed && (error.retryable || error.outcome === 'unknown');
}
