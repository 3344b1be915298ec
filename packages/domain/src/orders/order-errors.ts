import type { Timestamp } from '../shared/clock.ts';
import type { OrderStatus } from './order-lifecycle.ts';

/** The owner has no order with this id. Another owner's order is answered with this too. */
export interface OrderNotFound {
  readonly type: 'order_not_found';
  readonly id: string;
}

/** The order is cancelled already; cancelling happens once. */
export interface OrderAlreadyCancelled {
  readonly type: 'order_already_cancelled';
  readonly cancelled_at: Timestamp | null;
  readonly current_version: number;
}

/** The lifecycle has no such move. */
export interface InvalidStatusTransition {
  readonly type: 'invalid_status_transition';
  readonly current_status: OrderStatus;
  readonly requested_status: OrderStatus;
  readonly available_transitions: readonly OrderStatus[];
}

/** The order is cancelled: its customer and reference stay as they are. */
export interface OrderNotModifiable {
  readonly type: 'order_not_modifiable';
  /** The fields that were to change. */
  readonly fields: readonly string[];
}

/** The items of an order are in one currency. */
export interface CurrencyMismatch {
  readonly type: 'currency_mismatch';
  /** The currency of the first item. */
  readonly currency: string;
  /** The first currency that differs. */
  readonly field: string;
}

/** A total above 2^53-1 minor units. */
export interface AmountOutOfRange {
  readonly type: 'amount_out_of_range';
  /** The line, or `items` for the order's total. */
  readonly field: string;
}

/** The owner has another order with this reference. */
export interface ReferenceTaken {
  readonly type: 'reference_taken';
  /** The order that holds it. */
  readonly order_id: string;
}

/** The owner has no customer with the id that the order names. */
export interface UnknownCustomer {
  readonly type: 'unknown_customer';
}
