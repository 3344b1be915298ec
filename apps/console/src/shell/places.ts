import { T } from '../texts.ts';

/** The places of the bar, with the letter that goes there after `g`. */
export const PLACES = [
  { to: '/orders', name: T.places.orders, key: 'o' },
  { to: '/customers', name: T.places.customers, key: 'c' },
] as const;
