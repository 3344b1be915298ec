import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';

export type OrderEventType =
  | 'order.placed'
  | 'order.changed'
  | 'order.paid'
  | 'order.shipped'
  | 'order.delivered'
  | 'order.cancelled'
  | 'order.deleted';

/** What happened to an order: one per accepted command, none for a command that changes nothing. No personal data. */
export interface OrderEvent {
  /** UUIDv7. */
  readonly id: string;
  readonly type: OrderEventType;
  readonly owner: Owner;
  readonly order_id: string;
  /** The order's version after the command; for a deletion, the version that was deleted. */
  readonly version: number;
  readonly occurred_at: Timestamp;
  /** Names of the fields that the command changed, without `version` and `updated_at`. */
  readonly changed: readonly string[];
}
