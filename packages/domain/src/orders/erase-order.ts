import { type Customer, emailKey } from '../customers/customer.ts';
import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import { deepFreeze } from '../shared/frozen.ts';
import { isEqualJson } from '../shared/json-values.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import type { ChangedOrder } from './order-kind.ts';
import { type OrderFields, unsetFields } from './order-fields.ts';
import type { AnyOrder, Order } from './order.ts';

const PERSONAL: Partial<OrderFields> = unsetFields(({ data }) => data === 'personal');

/**
 * The members of an order that may be personal data, as an erasure leaves them. The `tracking` of its fulfillments, and the
 * `reason` of its versions, are the others, and become `null`. Whatever else an order has is business data.
 */
export const ERASED_MEMBERS = deepFreeze({ ...PERSONAL, custom: null, cancel_reason: null });

/** Returns an order without personal data, which is otherwise the same. Custom data is not parsed. */
export function withoutPersonalData<D extends OrderDefinition>(order: Order<D>): Order<D>;
export function withoutPersonalData(order: AnyOrder): AnyOrder {
  const { custom, ...erased } = ERASED_MEMBERS;
  return {
    ...order,
    ...erased,
    ...('custom' in order && { custom }),
    fulfillments: order.fulfillments.map((fulfillment) => ({ ...fulfillment, tracking: null })),
  };
}

/** Erases the personal data of an order, of which it may have none. The next version makes earlier reads stale. */
export function applyErasure(before: AnyOrder, now: Timestamp): ChangedOrder {
  const after = withoutPersonalData(before);
  const at = laterTimestamp(before.updated_at, now);
  return {
    order: { ...after, version: before.version + 1, updated_at: at, erased_at: at },
    event: { type: 'order.erased', changed: [...personalMembers(before), 'erased_at'] },
  };
}

/** Returns an order as the erasure of its customer leaves it, which is pending, or done since the order was read. */
export function erasedFor(order: AnyOrder, { erased_at, erasure }: Pick<Customer, 'erased_at' | 'erasure'>): AnyOrder {
  if (erased_at === null) return order;
  const isErased = order.erased_at !== null && order.erased_at >= erased_at;
  // A clock that was fast may have erased it for another person before.
  const isLeft = erasure?.status === 'done' || personalMembers(order).length === 0;
  return isErased && isLeft ? order : applyErasure(order, erased_at).order;
}

/** Returns an order without personal data as one that was erased at a time, or when it was created if that is later. */
export function markErased(order: AnyOrder, at: Timestamp): AnyOrder {
  const erased_at = laterTimestamp(order.created_at, at);
  return { ...order, updated_at: laterTimestamp(order.updated_at, erased_at), erased_at };
}

/** Returns the members of an order that have personal data, in their order. */
export function personalMembers(order: AnyOrder): readonly string[] {
  const erased = withoutPersonalData(order);
  return Object.keys(order).filter((name) => !isEqualJson(Reflect.get(order, name), Reflect.get(erased, name)));
}

/** The members of an order by which it is about persons. */
interface WithPersons {
  readonly customer_id: string | null;
  readonly buyer: { readonly email: string | null } | null;
}

/** Returns whom an order is about: its customer by the id, and its buyer by the {@link emailKey}. */
export function personsOf({ customer_id, buyer }: WithPersons): readonly string[] {
  return [...(customer_id === null ? [] : [customer_id]), ...(buyer?.email ? [emailKey(buyer.email)] : [])];
}
