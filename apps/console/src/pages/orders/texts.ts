import { count } from '../../texts.ts';

/** The texts of the cancellation of all orders that a list shows. */
export const CANCEL = {
  open: 'Cancel these…',
  title: 'Cancel these orders',
  about:
    'All orders that match the filter are cancelled, not only this page: those that their lifecycle lets be cancelled. First they are counted.',
  stays:
    'The orders, their totals and their history stay. What is placed after the count is not taken, and what is cancelled cannot be undone.',
  found: (matched: number) => `${count(matched, 'order')} would be cancelled.`,
  start: (matched: number) => `Cancel these ${count(matched, 'order')}`,
  running: (taken: number, matched: number) => `${taken.toLocaleString('en')} of ${count(matched, 'order')}`,
  done: 'All of them were tried.',
} as const;
