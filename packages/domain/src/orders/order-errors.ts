import type { Timestamp } from '../shared/clock.ts';
import type { OrderDefinition, StatusOf } from './definition/order-definition.ts';
import type { ORDERS } from './order-lifecycle.ts';

/** Error: the owner has no order with this id. The id of another owner's order gives the same error. */
export interface OrderNotFound {
  readonly type: 'order_not_found';
  readonly id: string;
}

/** Error: the order is already cancelled. It has the time of the cancellation, in the same member as the order. */
export type OrderAlreadyCancelled<D extends OrderDefinition = typeof ORDERS> = {
  readonly type: 'order_already_cancelled';
  readonly current_version: number;
} & { readonly [Status in D['cancel'] as `${Status}_at`]: Timestamp | null };

/** Error: the lifecycle has no transition from the current to the requested status. */
export interface InvalidStatusTransition<D extends OrderDefinition = typeof ORDERS> {
  readonly type: 'invalid_status_transition';
  readonly current_status: StatusOf<D>;
  readonly requested_status: StatusOf<D>;
  readonly available_transitions: readonly StatusOf<D>[];
}

/** Error: the order is cancelled, so its customer and reference cannot change. */
export interface OrderNotModifiable {
  readonly type: 'order_not_modifiable';
  /** Names of the fields that the rejected change contains. */
  readonly fields: readonly string[];
}

/** Error: the items of an order have different currencies. */
export interface CurrencyMismatch {
  readonly type: 'currency_mismatch';
  /** Currency of the first item. */
  readonly currency: string;
  /** Path of the first currency that differs, such as `items[1].unit_price.currency`. */
  readonly field: string;
}

/** Error: a total exceeds 2^53-1 minor units. */
export interface AmountOutOfRange {
  readonly type: 'amount_out_of_range';
  /** Path of the item, such as `items[0]`, or `items` for the total of the order. */
  readonly field: string;
}

/** Error: another order of the owner has this reference. */
export interface ReferenceTaken {
  readonly type: 'reference_taken';
  /** Id of the order that has the reference. */
  readonly order_id: string;
}

/** Error: the owner has no customer with the `customer_id` of the order. */
export interface UnknownCustomer {
  readonly type: 'unknown_customer';
}
