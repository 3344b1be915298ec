import type { Timestamp } from '../shared/clock.ts';
import type { Money } from '../shared/money.ts';
import type { Adjustment } from './adjustment.ts';
import type { Fulfillment } from './fulfillment.ts';
import type { LineItem } from './line-item.ts';
import type { OrderFields } from './order-fields.ts';
import type {
  CustomOf,
  EnteredStatusOf,
  OrderDefinition,
  StatusOf,
  WithCustom,
} from './definition/order-definition.ts';
import type { DefaultDefinition } from './order-lifecycle.ts';

/** Maximum length of the reason of a cancellation or return, in Unicode code points. */
export const REASON_LENGTH_MAX = 500;

/** The members of an order that do not depend on its definition. */
interface OrderCore extends OrderFields {
  /** UUIDv7, never reused. */
  readonly id: string;
  /** The lines, 1 to {@link ITEMS_MAX}. */
  readonly items: readonly LineItem[];
  /** What is charged besides the items, or given back: at most {@link ADJUSTMENTS_MAX}, in the order in which they were added. */
  readonly adjustments: readonly Adjustment[];
  /** What was fulfilled: at most {@link FULFILLMENTS_MAX}, in the order in which it was. */
  readonly fulfillments: readonly Fulfillment[];
  /** The sum of the totals of the items. */
  readonly subtotal: Money;
  /** `subtotal` and all adjustments that the prices do not include, from 0 to 2^53-1 minor units. */
  readonly total: Money;
  /** Reason of the cancellation; `null` if the order is not cancelled, or no reason was given. */
  readonly cancel_reason: string | null;
  /** Starts at 1 and increases by one with every accepted change. */
  readonly version: number;
  readonly created_at: Timestamp;
  /** Time of the last change. It never decreases, even if the clock runs backwards. */
  readonly updated_at: Timestamp;
  /** Time of the last correction of its status by an operator; `null` without one. */
  readonly corrected_at: Timestamp | null;
  /** Time of the last erasure of its personal data; `null` without one. What it has got since stays. */
  readonly erased_at: Timestamp | null;
}

/** The time at which each status but the initial one was last entered; `null` if it never was. */
type StatusTimes<D extends OrderDefinition> =
  string extends StatusOf<D>
    ? unknown
    : { readonly [Status in EnteredStatusOf<D> as `${Status}_at`]: Timestamp | null };

/** The status and custom data of an order. */
type Defined<D extends OrderDefinition> = { readonly status: StatusOf<D> } & WithCustom<
  D,
  { readonly custom?: unknown },
  {
    /**
     * `null` without custom data. Where the definition requires them, orders from before that rule, and those whose
     * personal data was erased, have none.
     */
    readonly custom: CustomOf<D> | null;
  }
>;

/** The aggregate of an order and its lines. It is immutable: every change creates a new value. */
export type Order<D extends OrderDefinition = DefaultDefinition> = StatusTimes<D> & OrderCore & Defined<D>;

/** An {@link Order} of any definition, which is known only when the program runs. */
export type AnyOrder = Order<OrderDefinition>;
