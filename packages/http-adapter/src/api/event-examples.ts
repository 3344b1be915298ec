import { ACTOR_EXAMPLE, PLACED_AT, PLACED_ORDER_ID } from './orders/order-examples.ts';

/** An event in examples. */
export const PLACED_EVENT = {
  id: '019b2a4e-8f00-7000-8000-0000000000e1',
  position: 1,
  type: 'order.placed',
  resource: { type: 'order', id: PLACED_ORDER_ID, version: 1 },
  changed: [],
  occurred_at: PLACED_AT,
  actor: ACTOR_EXAMPLE,
};
