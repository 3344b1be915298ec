import { count } from '../../texts.ts';

/** The texts of the page of orders: what it is filtered by. */
export const F = {
  add: '+ filter: owner, status, time…',
  remove: (chip: string) => `Remove ${chip}`,
  otherOwner: 'an owner',
  chips: { from: 'since', before: 'before', reference: 'reference', over: 'total from', under: 'total to' } as Readonly<
    Record<string, string>
  >,
  or: ' or ',
  status: 'Status',
  owner: 'Owner',
  from: 'Placed since',
  before: 'Placed before',
  day: 'Placed on',
  over: 'Total from',
  under: 'Total to',
  currency: 'Currency',
  reference: 'Reference',
  show: 'Show these orders',
  goTo: 'Go to a time',
  go: 'Go',
  export: 'Export these:',
  newer: (number: number, page: number) =>
    number === page ? `${page} or more new orders` : count(number, 'new order'),
  lookedAt: (some: number, all: number | null) =>
    `Looked at ${all === null ? count(some, 'owner') : `${some} of ${count(all, 'owner')}`}`,
  passedOver: (owners: string) => `; nothing could be read of ${owners}`,
} as const;

/** The texts of the cancellation of all orders that the list shows. */
export const CANCEL = {
  open: 'Cancel these…',
  title: 'Cancel these orders',
  about:
    'All orders that match the filter are cancelled, not only this page: those that their lifecycle lets be cancelled. First they are counted.',
  stays:
    'The orders, their totals and their history stay. What is placed after the count is not taken, and what is cancelled cannot be undone.',
  found: (matched: number) => `${count(matched, 'order')} would be cancelled.`,
  start: (matched: number) => `Cancel ${matched === 1 ? 'it' : `these ${count(matched, 'order')}`}`,
  running: (taken: number, matched: number) => `${taken.toLocaleString('en')} of ${count(matched, 'order')}`,
  done: 'All of them were tried.',
} as const;
