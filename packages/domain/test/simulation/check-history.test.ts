import { type OrderDefinition, ORDERS } from '@orders/domain';
import { simulate } from '@orders/domain/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkHistory, type Logged, type STATEMENTS } from './check-history.ts';
import type { Outcome, Records } from './history.ts';
import type { Fields } from './orders-model.ts';
import { eventually, invariants, ordersProgram, type World } from './orders-program.ts';

/** A history of a correct store. */
let world: World;

beforeAll(async () => {
  const definition: OrderDefinition = ORDERS;
  const program = ordersProgram({ definition, ttlMs: 24 * 60 * 60_000, purges: false });
  await simulate({
    program: (simulation) => (world = program(simulation)),
    definition,
    invariants,
    eventually,
    seeds: [2],
    operations: 400,
  });
});

/** Returns the last element with which a test is true. */
function last<T>(all: readonly T[], test: (element: T) => boolean = () => true): T {
  const found = all.findLast(test);
  if (found === undefined) throw new Error('the history has no such record');
  return found;
}

type Done = Extract<Outcome, { readonly type: 'done' }>;

/** Changes the last outcome of a write that a test accepts. */
function change({ attempts }: Records, test: (done: Done) => boolean, to: (done: Done) => Outcome): void {
  const attempt = last(attempts, ({ outcome }) => outcome.type === 'done' && test(outcome));
  if (attempt.outcome.type === 'done') attempt.outcome = to(attempt.outcome);
}

/** Replaces the last record that a test accepts by one with other members. */
function replace<T>(all: T[], fields: (record: T) => Partial<T>, test?: (record: T) => boolean): void {
  const record = last(all, test);
  all[all.lastIndexOf(record)] = { ...record, ...fields(record) };
}

type Spoil = (records: Records, log: Logged[]) => void;

const spoilt: readonly (readonly [(typeof STATEMENTS)[number], string, Spoil])[] = [
  [
    'no write is lost, and none is done twice',
    'an event of no command',
    (_, log) => replace(log, () => ({ actor: '' })),
  ],
  [
    'no write is lost, and none is done twice',
    'a write with another event',
    (records) =>
      change(
        records,
        ({ event }) => event !== null,
        (done) => ({ ...done, event: { ...done.event, id: 'other' } }),
      ),
  ],
  [
    'each version follows the one before by its command',
    'a skipped version',
    (_, log) => replace(log, ({ version }) => ({ version: version + 1 })),
  ],
  [
    'each version follows the one before by its command',
    'another value',
    ({ sightings }) =>
      replace(
        sightings,
        ({ aggregate }) => ({ aggregate: { ...aggregate, note: 'x' } }),
        (it) => it.aggregate !== null,
      ),
  ],
  [
    'a rejection has its reason',
    'a rejection without one',
    (records) =>
      change(
        records,
        ({ event }) => event !== null,
        () => ({
          type: 'rejected',
          error: { type: 'customer_has_orders' },
        }),
      ),
  ],
  [
    'what is read was current meanwhile',
    'a stale version',
    ({ sightings }) => {
      const { owner, id } = last(sightings, ({ version, isCurrent }) => version > 1 && isCurrent);
      const first = last(sightings, (it) => it.owner === owner && it.id === id && it.version === 1);
      sightings.push({ ...first, isCurrent: true, begin: Infinity, end: Infinity });
    },
  ],
  [
    'what is read was current meanwhile',
    'an order of another owner',
    ({ sightings }) =>
      replace(
        sightings,
        ({ owner }) => ({ owner: owner === 'acme' ? 'globex' : 'acme' }),
        (it) => it.version > 0,
      ),
  ],
  [
    'versions have no holes',
    'a version that is missing',
    ({ versionWalks }) =>
      replace(
        versionWalks,
        ({ versions }) => ({ versions: versions.slice(1) }),
        (it) => it.versions.length > 1,
      ),
  ],
  [
    'a list has every element once',
    'an element twice',
    ({ walks }) =>
      replace(
        walks,
        ({ elements }) => ({ elements: [...elements.slice(0, 1), ...elements] }),
        (it) => it.elements.length > 0,
      ),
  ],
  [
    'a list has every element once',
    'an element less',
    ({ walks }) =>
      replace(
        walks,
        ({ elements }) => ({ elements: elements.slice(1) }),
        (it) => it.elements.length > 0,
      ),
  ],
  [
    'references and emails are unique, and customers of orders exist',
    'an email of two customers',
    ({ attempts }, log) => {
      const { command } = last(
        attempts,
        (it) => it.command.kind === 'customer' && it.command.action === 'create' && isDone(it.outcome),
      );
      const event = last(log, ({ actor }) => actor === command.actor);
      const twin = { ...event, id: 'twin', aggregate_id: 'twin', actor: 'twin' };
      log.push(twin);
      const attempt = last(attempts, (it) => it.command === command);
      attempts.push({
        ...attempt,
        command: { ...command, actor: 'twin', key: null },
        outcome: {
          type: 'done',
          aggregate: { ...aggregateOf(attempt.outcome), id: 'twin' },
          event: { ...twin },
          replayed: false,
        },
      });
    },
  ],
  [
    'each reader gets every event once, in one order',
    'an event that is skipped',
    ({ feedReads }) =>
      replace(
        feedReads,
        ({ page }) => ({ page: { ...page, data: page.data.slice(0, -1) } }),
        (it) => it.page.data.length > 1,
      ),
  ],
];

const isDone = (outcome: Outcome): boolean => outcome.type === 'done' && outcome.event !== null;
const aggregateOf = (outcome: Outcome): Fields => (outcome.type === 'done' ? (outcome.aggregate ?? {}) : {});

describe('the check of a history', () => {
  /** Returns a copy of the history, which can be changed. */
  const aHistory = (): { readonly records: Records; readonly log: Logged[] } => {
    const { definition, ttlMs, attempts, sightings, walks, versionWalks, feedReads, losses, purges } = world.history;
    const copies = structuredClone({ attempts, sightings, walks, versionWalks, feedReads, losses, purges });
    return { records: { definition, ttlMs, ...copies }, log: [...world.store.events()] };
  };

  it('accepts that of a correct store', () => {
    const { records, log } = aHistory();
    expect(() => checkHistory(records, log)).not.toThrow();
  });

  it.each(spoilt)('finds that not "%s": %s', (statement, _, spoil) => {
    const { records, log } = aHistory();
    spoil(records, log);
    expect(() => checkHistory(records, log)).toThrow(expect.objectContaining({ statement }));
  });
});
