import { faultsIn } from './fault.ts';

const COUNT = /count each order where it was placed/;
const NONE = /are none of an owner without orders/;

/** Faults of the figures of orders. */
export const statisticsFaults = [
  ...faultsIn('in-memory-statistics.ts', [
    ['bound <= at', ['bound < at', COUNT]],
    ['bucket === bounds.length - 1', ['bucket === bounds.length', COUNT, /are added up between any quarters/]],
    ['bucket === -1', ['bucket < -1', COUNT]],
    ['sum.orders += 1;', ['sum.orders = 1;', COUNT]],
    ['sum.total += BigInt(total.amount);', ['sum.total = 1n;', /have the last entry of a status alone/]],
    ['.slice(0, limit)', ['', /are at most as many as requested/]],
    ['toMilliseconds(last) + 1', ['toMilliseconds(last)', /are within the range that is found/]],
    ['total <= MAX_EXACT ? Number(total) : null', ['Number(total)', /none that no number can state exactly/]],
    [
      "`${String(bucket).padStart(5, '0')} ${status} ${total.currency}`",
      ['`${bucket} ${status} EUR`', /of each currency/],
    ],
    [
      'sums, as_of: lastPosition(owner)',
      ['sums, as_of: lastPosition(owner) + 1', NONE],
      ['sums, as_of: 0', /lose an order with its deletion/],
    ],
  ]),
  ...faultsIn('in-memory-store.ts', [
    [
      '(owner) => orders.all(owner),\n    (owner) => feed.rangeOf',
      [
        '() => orders.owners().flatMap((one) => orders.all(one)),\n    (owner) => feed.rangeOf',
        /are those of one owner/,
      ],
    ],
  ]),
];
