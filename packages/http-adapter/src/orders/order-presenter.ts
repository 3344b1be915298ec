import { availableTransitions, type Order, type OrderWritten } from '@orders/domain';
import { entityTag } from '../conventions/conditional-requests.ts';
import { replayHeader } from '../conventions/idempotency.ts';
import type { Answer } from '../conventions/send-result.ts';

/** An order as every answer shows it. */
export function presentOrder(order: Order) {
  return { ...order, available_transitions: availableTransitions(order.status) };
}

/** An order that was read; without a body for a client that has this version. */
export function presentRead(order: Order, notModified: boolean): Answer {
  const headers = { etag: entityTag(order.version), 'cache-control': 'private, no-cache' };
  return notModified ? { status: 304, headers } : { status: 200, headers, body: presentOrder(order) };
}

/** An order that was placed, now or when the request was first sent. */
export function presentPlaced(written: OrderWritten): Answer {
  const { headers, body } = presentChanged(written);
  return { status: 201, headers: { ...headers, location: `/v1/orders/${written.order.id}` }, body };
}

/** An order that was changed, now or when the request was first sent. */
export function presentChanged({ order, replayed }: OrderWritten): Answer {
  const headers = { etag: entityTag(order.version), 'cache-control': 'no-store', ...replayHeader(replayed) };
  return { status: 200, headers, body: presentOrder(order) };
}

/** A deletion. */
export function presentDeleted({ replayed }: { readonly replayed: boolean }): Answer {
  return { status: 204, headers: { 'cache-control': 'no-store', ...replayHeader(replayed) } };
}
