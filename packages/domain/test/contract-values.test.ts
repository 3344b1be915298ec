import { customerRepositoryContract, orderRepositoryContract } from '@orders/domain/testing';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';
import {
  altering,
  exactIdsIn,
  overwriting,
  returningAsGiven,
  storingOfUpdates,
  throwingSynchronously,
  unavailableForBugs,
} from './faulty-values.ts';

const pick = <A extends object>(from: A, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

/** Injects a store whose updates change fields that must not change. */
const changing = (where: 'found' | 'written', ...fields: readonly string[]): Fault[1] =>
  storingOfUpdates(
    (stored, decided, isEvent) =>
      isEvent
        ? {
            ...decided,
            ...pick(stored, 'id'),
            ...pick(stored, ...['items', 'total', 'created_at'].filter((name) => !fields.includes(name))),
          }
        : stored,
    where,
  );

const time = (text: string): string => {
  const milliseconds = /^\d{4}-\d\d-\d\d[T ]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(milliseconds) ? text : new Date(milliseconds).toISOString();
};

const WITHOUT_EVENT = /decision .* stores nothing without an event/;
const FIXED = /decision .* never changes/;
const UPPER_CASE = /upper-case id/;
const EXISTING_ID = /rejects a new .* with an existing id/;
const THROWN = /rejects with the value that change or decide throws/;

const faults: readonly Fault[] = [
  [
    'stores a change without an event',
    storingOfUpdates((stored, decided, isEvent) => (isEvent ? stored : decided), 'found'),
    WITHOUT_EVENT,
  ],
  [
    'returns a change without an event, but does not store it',
    storingOfUpdates((_, decided) => decided, 'written'),
    WITHOUT_EVENT,
  ],
  ['stores another created_at', changing('found', 'created_at'), FIXED],
  ['returns another created_at, but does not store it', changing('written', 'created_at'), FIXED],
  ['overwrites an aggregate with the same id', overwriting, EXISTING_ID],
  ['returns unavailable for an existing id', unavailableForBugs, EXISTING_ID],
  ['throws the exception of a change synchronously', throwingSynchronously, THROWN, /thrown synchronously/],
  ['returns unavailable for an exception of a change', unavailableForBugs, THROWN, /no rejection/],
  ['removes U+0000 from text', altering((text) => text.replaceAll('\0', '')), /rejects text with U\+0000/],
  [
    'replaces a lone surrogate by U+FFFD',
    altering((text) => text.toWellFormed()),
    /rejects text with .* surrogate pair/,
  ],
  ['converts times of another format', altering(time), /rejects a time .*05Z/],
  ['finds only lower-case ids', exactIdsIn('find'), UPPER_CASE],
  ['updates only by lower-case ids', exactIdsIn('update'), UPPER_CASE],
  ['deletes only by lower-case ids', exactIdsIn('delete'), UPPER_CASE],
  ['returns ids without converting them to lower case', returningAsGiven, UPPER_CASE],
];

describe('the contract of the order port, on values,', () => {
  itCatches(orderRepositoryContract, [
    ...faults,
    ['stores other items', changing('found', 'items'), FIXED],
    ['stores another total', changing('found', 'total'), FIXED],
    ['lists only by lower-case ids', exactIdsIn('list'), UPPER_CASE],
  ]);
});

describe('the contract of the customer port, on values,', () => {
  itCatches(customerRepositoryContract, faults);
});
