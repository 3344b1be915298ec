import { T } from '../texts.ts';

/** The places of the bar, with the letter that goes there after `g`. */
export const PLACES = [
  { to: '/orders', name: T.places.orders, key: 'o' },
  { to: '/customers', name: T.places.customers, key: 'c' },
  { to: '/webhooks', name: T.places.webhooks, key: 'w' },
  { to: '/owners', name: T.places.owners, key: 'n' },
  { to: '/overview', name: T.places.overview, key: 'v' },
] as const;
