import { availableTransitions, type OrderDefinition } from '../orders/order-lifecycle.ts';
import type { OrderVersion } from '../orders/order-version.ts';
import type { AnyOrder } from '../orders/order.ts';
import type {
  DeliveryFault,
  SummarizedOrder,
  SummarizedQuantities,
  TimelineChange,
  TimelineDelivery,
  TimelineSummary,
} from './order-timeline.ts';

/** A delivery with the version that it is about. */
export interface DeliveryOfVersion extends TimelineDelivery, Pick<DeliveryFault, 'version' | 'type'> {}

/** What the summary of a timeline is made of. */
export interface Summarized {
  readonly id: string;
  /** The newest version, and the order that it made or deleted; `null` once that was purged. */
  readonly newest: OrderVersion<OrderDefinition>;
  readonly order: AnyOrder | null;
  /** The first entries of the timeline. */
  readonly first: readonly TimelineChange[];
  /** The deliveries of the newest versions, oldest first. */
  readonly deliveries: readonly DeliveryOfVersion[];
}

/** Returns what an order is, what is open, and what went wrong. */
export function summarizeOrder(
  definition: OrderDefinition,
  { id, newest, order, first, deliveries }: Summarized,
): TimelineSummary {
  const [placed] = first;
  const lastIncomplete = first.findLastIndex(({ changes }) => changes === null);
  const isDeleted = newest.type === 'order.deleted';
  const isKnown = order === null || Object.hasOwn(definition.lifecycle, order.status);
  return {
    id,
    version: newest.version,
    order: order && summarized(definition, order, isDeleted),
    deleted_at: isDeleted ? newest.occurred_at : null,
    placed_by: placed?.version === 1 ? authorOf(placed) : null,
    complete_from: first[lastIncomplete + 1]?.at ?? null,
    faults: [
      ...(isKnown || isDeleted ? [] : [{ code: 'status_unknown', status: order.status } as const]),
      ...deliveryFaults(deliveries),
    ],
  };
}

function authorOf({ type, actor, actor_name, external_user_id }: TimelineChange): TimelineSummary['placed_by'] {
  return { type, actor, actor_name, external_user_id };
}

function summarized(definition: OrderDefinition, order: AnyOrder, isDeleted: boolean): SummarizedOrder {
  const { status, reference, customer_id, items, adjustments, total, created_at, updated_at, erased_at } = order;
  const refunds = adjustments.filter(({ type }) => type === 'refund');
  return {
    status,
    available_transitions: isDeleted ? [] : availableTransitions(status, definition),
    reference,
    customer_id,
    line_count: items.length,
    quantities: quantitiesOf(order, status === definition.cancel),
    total,
    refunded: { ...total, amount: 0 - refunds.reduce((sum, { amount }) => sum + amount.amount, 0) },
    created_at,
    updated_at,
    erased_at,
    entered: enteredStatuses(definition, order),
  };
}

function quantitiesOf({ items }: AnyOrder, isCancelled: boolean): SummarizedQuantities {
  const sumOf = (name: 'quantity' | `${'fulfilled' | 'cancelled' | 'returned'}_quantity`) =>
    items.reduce((sum, item) => sum + item[name], 0);
  const [ordered, fulfilled, cancelled] = [sumOf('quantity'), sumOf('fulfilled_quantity'), sumOf('cancelled_quantity')];
  const open = isCancelled ? 0 : ordered - fulfilled - cancelled;
  return { ordered, fulfilled, cancelled, returned: sumOf('returned_quantity'), open };
}

function enteredStatuses({ statuses, entries }: OrderDefinition, order: AnyOrder): SummarizedOrder['entered'] {
  return statuses
    .flatMap((status) => {
      const at: unknown = Reflect.get(order, entries[status]?.time ?? '');
      return typeof at === 'string' ? [{ status, at }] : [];
    })
    .toSorted((left, right) => (left.at < right.at ? -1 : left.at === right.at ? 0 : 1));
}

/** Returns a fault for each endpoint with deliveries that failed, and for each with such that are tried again. */
function deliveryFaults(deliveries: readonly DeliveryOfVersion[]): readonly DeliveryFault[] {
  const faults = new Map<string, DeliveryFault>();
  for (const { last_duration_ms: _, ...delivery } of deliveries) {
    const { status, attempts, endpoint_id } = delivery;
    const isRetried = status === 'pending' && attempts > 0;
    if (status !== 'failed' && !isRetried) continue;
    const code = isRetried ? 'delivery_retried' : 'delivery_failed';
    const known = faults.get(`${code} ${endpoint_id}`);
    faults.set(`${code} ${endpoint_id}`, { code, ...(known ?? delivery), count: (known?.count ?? 0) + 1 });
  }
  return [...faults.values()];
}
