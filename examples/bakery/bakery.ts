import { defineOrders } from '@orders/domain';
import { BAKING } from './baking.ts';

/** The orders of a bakery, which can be cancelled until they are ready. */
export const BAKERY = defineOrders({
  lifecycle: {
    received: ['baking', 'cancelled'],
    baking: ['ready', 'cancelled'],
    ready: ['collected'],
    collected: [],
    cancelled: [],
  },
  initial: 'received',
  cancel: 'cancelled',
  custom: BAKING,
});
