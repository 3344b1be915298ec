import type { Timestamp } from '../shared/clock.ts';
import type { Metadata } from '../shared/metadata.ts';
import type { Money } from '../shared/money.ts';
import type { LineItem } from './line-item.ts';
import type { OrderDetails } from './order-details.ts';
import type { OrderStatus } from './order-lifecycle.ts';

/** The longest reason for a cancellation, in Unicode code points. */
export const CANCEL_REASON_LENGTH_MAX = 500;

/** The aggregate: an order with its lines. A value; every change makes a new one. */
export interface Order extends OrderDetails {
  /** UUIDv7, never reused. */
  readonly id: string;
  readonly status: OrderStatus;
  /** 1 to {@link ITEMS_MAX} lines. */
  readonly items: readonly LineItem[];
  readonly total: Money;
  readonly metadata: Metadata;
  /** Only ever set by cancelling. */
  readonly cancel_reason: string | null;
  /** From 1, plus one with every accepted change. */
  readonly version: number;
  readonly created_at: Timestamp;
  /** Never runs backwards, whatever the clock does. */
  readonly updated_at: Timestamp;
  readonly paid_at: Timestamp | null;
  readonly shipped_at: Timestamp | null;
  readonly delivered_at: Timestamp | null;
  readonly cancelled_at: Timestamp | null;
}

/** What the system sets by itself: naming one of these in a command is refused as read-only. */
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
