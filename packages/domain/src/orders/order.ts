import type { Timestamp } from '../shared/clock.ts';
import type { Metadata } from '../shared/metadata.ts';
import type { Money } from '../shared/money.ts';
import type { LineItem } from './line-item.ts';
import type { OrderDetails } from './order-details.ts';
import type { OrderStatus } from './order-lifecycle.ts';

/** Maximum length of the reason of a cancellation, in Unicode code points. */
export const CANCEL_REASON_LENGTH_MAX = 500;

/** The aggregate of an order and its lines. It is immutable: every change creates a new value. */
export interface Order extends OrderDetails {
  /** UUIDv7, never reused. */
  readonly id: string;
  readonly status: OrderStatus;
  /** The lines, 1 to {@link ITEMS_MAX}. */
  readonly items: readonly LineItem[];
  readonly total: Money;
  readonly metadata: Metadata;
  /** Reason of the cancellation; `null` if the order is not cancelled, or no reason was given. */
  readonly cancel_reason: string | null;
  /** Starts at 1 and increases by one with every accepted change. */
  readonly version: number;
  readonly created_at: Timestamp;
  /** Time of the last change. It never decreases, even if the clock runs backwards. */
  readonly updated_at: Timestamp;
  readonly paid_at: Timestamp | null;
  readonly shipped_at: Timestamp | null;
  readonly delivered_at: Timestamp | null;
  readonly cancelled_at: Timestamp | null;
}

/** Fields that only the system sets. A command that contains one is rejected with `read_only`. */
export const READ_ONLY_FIELDS = [
  'id',
  'total',
  'available_transitions',
  'version',
  'created_at',
  'updated_at',
  'paid_at',
  'shipped_at',
  'delivered_at',
  'cancelled_at',
] as const;
