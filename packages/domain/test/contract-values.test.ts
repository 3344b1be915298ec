import { customerRepositoryContract, orderRepositoryContract } from '@orders/domain/testing';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';
import {
  exactIdsIn,
  keepingOfUpdates,
  overwriting,
  repairing,
  returningAsGiven,
  throwingAtOnce,
  unavailableForBugs,
} from './faulty-values.ts';

const pick = <A extends object>(from: A, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

/** A store in which an update changes a field that it must not. */
const changing = (where: 'found' | 'written', ...fields: readonly string[]): Fault[1] =>
  keepingOfUpdates(
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
    'keeps a change without an event',
    keepingOfUpdates((stored, decided, isEvent) => (isEvent ? stored : decided), 'found'),
    WITHOUT_EVENT,
  ],
  [
    'returns a change without an event, which it does not keep',
    keepingOfUpdates((_, decided) => decided, 'written'),
    WITHOUT_EVENT,
  ],
  ['keeps another created_at', changing('found', 'created_at'), FIXED],
  ['returns another created_at, which it does not keep', changing('written', 'created_at'), FIXED],
  ['overwrites when an id exists', overwriting, EXISTING_ID],
  ['reports an id that exists as unavailable', unavailableForBugs, EXISTING_ID],
  ['throws at once what a change throws', throwingAtOnce, THROWN, /thrown synchronously/],
  ['reports what a change throws as unavailable', unavailableForBugs, THROWN, /no rejection/],
  ['keeps another text without U+0000', repairing((text) => text.replaceAll('\0', '')), /rejects text with U\+0000/],
  [
    'keeps U+FFFD for a lone surrogate',
    repairing((text) => text.toWellFormed()),
    /rejects text with .* surrogate pair/,
  ],
  ['keeps times in another form', repairing(time), /rejects a time .*05Z/],
  ['finds ids in lower case alone', exactIdsIn('find'), UPPER_CASE],
  ['updates by ids in lower case alone', exactIdsIn('update'), UPPER_CASE],
  ['deletes by ids in lower case alone', exactIdsIn('delete'), UPPER_CASE],
  ['returns ids as they were given', returningAsGiven, UPPER_CASE],
];

describe('the contract of the order port, on values,', () => {
  itCatches(orderRepositoryContract, [
    ...faults,
    ['keeps other items', changing('found', 'items'), FIXED],
    ['keeps another total', changing('found', 'total'), FIXED],
    ['lists by ids in lower case alone', exactIdsIn('list'), UPPER_CASE],
  ]);
});

describe('the contract of the customer port, on values,', () => {
  itCatches(customerRepositoryContract, faults);
});
