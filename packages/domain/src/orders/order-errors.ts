import type { Timestamp } from '../shared/clock.ts';
import type { AdjustmentType } from './adjustment.ts';
import type { OrderDefinition, RefusalOf, StatusOf } from './definition/order-definition.ts';

/** Error: the owner has no order with this id. The id of another owner's order gives the same error. */
export interface OrderNotFound {
  readonly type: 'order_not_found';
  readonly id: string;
}

/** Error: the order is already cancelled. It has the time of the cancellation, in the same member as the order. */
export type OrderAlreadyCancelled<D extends OrderDefinition = OrderDefinition> = {
  readonly type: 'order_already_cancelled';
  readonly current_version: number;
} & { readonly [Status in D['cancel'] as `${Status}_at`]: Timestamp | null };

/** Error: the lifecycle has no transition from the current to the requested status. */
export interface InvalidStatusTransition<D extends OrderDefinition = OrderDefinition> {
  readonly type: 'invalid_status_transition';
  readonly current_status: StatusOf<D>;
  readonly requested_status: StatusOf<D>;
  readonly available_transitions: readonly StatusOf<D>[];
}

/** Error: the order is cancelled, so its customer and reference cannot change, nor can items be added, fulfilled or cancelled. */
export interface OrderNotModifiable {
  readonly type: 'order_not_modifiable';
  /** Names of the fields that the rejected change contains. */
  readonly fields: readonly string[];
}

/** Error: a guard of the definition refuses the write, or a status that must come before is missing. */
export type Refused<D extends OrderDefinition = OrderDefinition> = RefusedFor<RefusalOf<D>>;

/** One member for each code, so that a `switch` narrows it. */
type RefusedFor<Code extends string> = Code extends string
  ? {
      readonly type: 'refused';
      readonly code: Code;
      /** The reason in a sentence, which the definition has. */
      readonly message: string;
    }
  : never;

/** Error: the amounts of an order have different currencies. */
export interface CurrencyMismatch {
  readonly type: 'currency_mismatch';
  /** Currency of the order, which is that of its first item. */
  readonly currency: string;
  /** Path of the first currency that differs, such as `items[1].unit_price.currency` and `adjustments[0].amount.currency`. */
  readonly field: string;
}

/** Error: a total exceeds 2^53-1 minor units. */
export interface AmountOutOfRange {
  readonly type: 'amount_out_of_range';
  /** Path of the item, such as `items[0]`; `items` for their sum, and `adjustments` for the total of the order. */
  readonly field: string;
}

/** Error: the reductions of an order exceed its charges. */
export interface NegativeTotal {
  readonly type: 'negative_total';
  /** The total that the order would have, in minor units. */
  readonly total: number;
}

/** Error: the sum of the adjustments of a type, of one item or of the order, would have the wrong sign. */
export interface AdjustmentSign {
  readonly type: 'adjustment_sign';
  readonly adjustment_type: AdjustmentType;
  /** `null` for the adjustments that belong to the order. */
  readonly item_id: string | null;
  readonly included: boolean;
}

/** Error: the order would have more than {@link ITEMS_MAX} items. */
export interface TooManyItems {
  readonly type: 'too_many_items';
}

/** Error: the order would have more than {@link ADJUSTMENTS_MAX} adjustments. */
export interface TooManyAdjustments {
  readonly type: 'too_many_adjustments';
}

/** Error: the order would have more than {@link FULFILLMENTS_MAX} fulfillments. */
export interface TooManyFulfillments {
  readonly type: 'too_many_fulfillments';
}

/** Error: a command takes more of an item than it allows. */
export interface QuantityNotAvailable {
  readonly type: 'quantity_not_available';
  readonly item_id: string;
  /** What the command allows of the item. */
  readonly available: number;
}

/** Error: every item would be cancelled as a whole. Cancel the order instead. */
export interface NothingWouldRemain {
  readonly type: 'nothing_would_remain';
}

/** Error: the order has no fulfillment with this id. */
export interface FulfillmentNotFound {
  readonly type: 'fulfillment_not_found';
  readonly id: string;
}

/** Error: the fulfillment was cancelled before. */
export interface FulfillmentAlreadyCancelled {
  readonly type: 'fulfillment_already_cancelled';
  readonly cancelled_at: Timestamp;
  readonly current_version: number;
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

/**
 * Ends a `switch` over a closed union, such as the errors of a use case: `default: return exhaustive(error)`. It does not
 * compile while a member has no case, and names it.
 *
 * @throws {TypeError} always: the value is none of the union
 */
export function exhaustive(value: never): never {
  throw new TypeError(`a switch has no case for ${JSON.stringify(value)}`);
}
