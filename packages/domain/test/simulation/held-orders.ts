import { defineOrders, ORDERS } from '@orders/domain';

interface Noted {
  readonly note: string | null;
}

const HELD = 'note 1';
const unlessHeld = (before: Noted, after: Noted | null) =>
  before.note === HELD && (after === null || after.note === HELD) ? 'held' : null;

/** Orders that a note holds, so that nothing but the note can change, and that are paid before they are cancelled. */
export const HELD_ORDERS = defineOrders({
  lifecycle: ORDERS.lifecycle,
  initial: 'pending',
  cancel: 'cancelled',
  requires: { cancelled: ['paid'] },
  refusals: { held: 'A note holds the order.' },
  guards: {
    change: unlessHeld,
    cancel: unlessHeld,
    add: unlessHeld,
    delete: unlessHeld,
  },
});
