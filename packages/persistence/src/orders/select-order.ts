import type { Owner } from '@orders/domain';
import { type Expression, sql } from 'kysely';
import type { ItemTuple } from './order-row.ts';

/** The columns of an order that is read as `o`. */
export const ORDER_COLUMNS = [
  'o.id',
  'o.status',
  'o.customer_id',
  'o.reference',
  'o.currency',
  'o.total_amount',
  'o.note',
  'o.metadata',
  'o.cancel_reason',
  'o.version',
  'o.created_at',
  'o.updated_at',
  'o.paid_at',
  'o.shipped_at',
  'o.delivered_at',
  'o.cancelled_at',
] as const;

/** The lines of order `id` as one value. */
export function selectItems(owner: Expression<Owner>, id: Expression<string>) {
  return sql<readonly ItemTuple[]>`(
    select json_agg(
      json_build_array(i.id, i.sku, i.name, i.quantity, i.unit_amount, i.total_amount) order by i.line
    ) from order_items i where i.owner_id = ${owner} and i.order_id = ${id}
  )`;
}
