import { count } from '../../texts.ts';

/** The texts of the overview. */
export const V = {
  look: 'Needs a look',
  nothing: 'Nothing: every endpoint accepts what it gets, and no owner is refused.',
  fails: (host: string, owner: string, since: string) => `${host} of ${owner} has accepted nothing for ${since}.`,
  disabled: (host: string, owner: string) => `${host} of ${owner} is disabled.`,
  refused: (owner: string, requests: number) =>
    `${count(requests, 'request')} of ${owner} got 429 or 503 in the last minute.`,
  perHour: 'Orders placed per hour',
  of: (owners: number) =>
    `In the last 24 hours, of the ${owners === 1 ? 'busiest owner' : `${owners} busiest owners`} of this server.`,
  hour: 'Hour',
  orders: 'Orders',
  asTable: 'As a table',
  none: 'No owner has sent a request in the last minute, so that there is no one to show. Owners has all of them.',
  entered: 'What became of orders',
  enteredAbout: 'Orders that entered a status in these hours, and their totals. Currencies are never added up.',
  status: 'Status',
  currency: 'Currency',
  total: 'Total',
  peak: (number: number) => `Bars of orders placed per hour, at most ${number}`,
} as const;
