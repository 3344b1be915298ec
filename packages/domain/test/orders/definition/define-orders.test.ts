import { defineOrders, ORDER_STATUSES_MAX, ORDERS } from '@orders/domain';
import { ok, type Result } from 'neverthrow';
import { describe, expect, it } from 'vitest';

const schema = { type: 'string' };

/** Programs that do not compile, and the message with which they fail at run time too. */
const FAULTS: readonly (readonly [fault: string, message: string, program: () => unknown])[] = [
  [
    'an empty lifecycle',
    'lifecycle must have 1 to 40 statuses, got 0',
    // @ts-expect-error -- a lifecycle needs a status
    () => defineOrders({ lifecycle: {}, initial: 'a', cancel: 'a' }),
  ],
  [
    'an unknown target',
    'the status "open" leads to "over", which is none of open, done',
    // @ts-expect-error -- not in the table
    () => defineOrders({ lifecycle: { open: ['over', 'done'], done: [] }, initial: 'open', cancel: 'done' }),
  ],
  [
    'a status that leads to itself',
    'the status "open" leads to itself',
    // @ts-expect-error -- a status has no transition to itself
    () => defineOrders({ lifecycle: { open: ['open', 'done'], done: [] }, initial: 'open', cancel: 'done' }),
  ],
  [
    'a transition twice',
    'the status "open" leads to another one twice',
    // @ts-expect-error -- a set has each element once
    () => defineOrders({ lifecycle: { open: ['done', 'done'], done: [] }, initial: 'open', cancel: 'done' }),
  ],
  [
    'no terminal status',
    'no status is terminal: give one no targets',
    // @ts-expect-error -- orders would never end
    () => defineOrders({ lifecycle: { open: ['done'], done: ['open'] }, initial: 'open', cancel: 'done' }),
  ],
  [
    'an unreachable status',
    'no transitions lead from "open" to the status "lost"',
    // @ts-expect-error -- nothing leads to it
    () => defineOrders({ lifecycle: { open: ['done'], done: [], lost: ['done'] }, initial: 'open', cancel: 'done' }),
  ],
  [
    'two statuses that only each other leads to',
    'no transitions lead from "open" to the status "ping"',
    () =>
      defineOrders({
        // @ts-expect-error -- a cycle apart from the initial status
        lifecycle: { open: ['done'], done: [], ping: ['pong'], pong: ['ping'] },
        initial: 'open',
        cancel: 'done',
      }),
  ],
  [
    'an unknown initial status',
    'the initial status is "shut", which is none of open, done',
    // @ts-expect-error -- not in the table
    () => defineOrders({ lifecycle: { open: ['done'], done: [] }, initial: 'shut', cancel: 'done' }),
  ],
  [
    'an unknown cancel status',
    'the cancel status is "over", which is none of open, done',
    // @ts-expect-error -- not in the table
    () => defineOrders({ lifecycle: { open: ['done'], done: [] }, initial: 'open', cancel: 'over' }),
  ],
  [
    'a cancel status that is the initial one',
    'the cancel status "open" must not be the initial one',
    // @ts-expect-error -- every order would be cancelled
    () => defineOrders({ lifecycle: { open: ['done'], done: [] }, initial: 'open', cancel: 'open' }),
  ],
  [
    'custom data without a schema',
    'custom must have a function parse and an object schema',
    // @ts-expect-error -- OpenAPI needs it
    () => defineOrders({ lifecycle: { open: [] }, initial: 'open', cancel: 'open', custom: { parse: () => ok('') } }),
  ],
];

const RESERVED: readonly (readonly [name: string, program: () => unknown])[] = [
  // @ts-expect-error -- reserved
  ['created', () => defineOrders({ lifecycle: { a: ['created'], created: [] }, initial: 'a', cancel: 'created' })],
  // @ts-expect-error -- reserved
  ['updated', () => defineOrders({ lifecycle: { a: ['updated'], updated: [] }, initial: 'a', cancel: 'updated' })],
  // @ts-expect-error -- reserved
  ['placed', () => defineOrders({ lifecycle: { a: ['placed'], placed: [] }, initial: 'a', cancel: 'placed' })],
  // @ts-expect-error -- reserved
  ['changed', () => defineOrders({ lifecycle: { a: ['changed'], changed: [] }, initial: 'a', cancel: 'changed' })],
  // @ts-expect-error -- reserved
  ['deleted', () => defineOrders({ lifecycle: { a: ['deleted'], deleted: [] }, initial: 'a', cancel: 'deleted' })],
  // @ts-expect-error -- reserved
  ['imported', () => defineOrders({ lifecycle: { a: ['imported'], imported: [] }, initial: 'a', cancel: 'imported' })],
];

const NAMES: readonly (readonly [name: string, program: () => unknown])[] = [
  // @ts-expect-error -- empty
  ['', () => defineOrders({ lifecycle: { '': [] }, initial: '', cancel: '' })],
  // @ts-expect-error -- a capital
  ['Open', () => defineOrders({ lifecycle: { Open: [] }, initial: 'Open', cancel: 'Open' })],
  // @ts-expect-error -- a digit first
  ['1st', () => defineOrders({ lifecycle: { '1st': [] }, initial: '1st', cancel: '1st' })],
  // @ts-expect-error -- an underscore first
  ['_a', () => defineOrders({ lifecycle: { _a: [] }, initial: '_a', cancel: '_a' })],
  // @ts-expect-error -- a hyphen
  ['in-work', () => defineOrders({ lifecycle: { 'in-work': [] }, initial: 'in-work', cancel: 'in-work' })],
  // @ts-expect-error -- not ASCII
  ['né', () => defineOrders({ lifecycle: { né: [] }, initial: 'né', cancel: 'né' })],
  [
    'a23456789012345678901234567890x',
    () =>
      defineOrders({
        // @ts-expect-error -- 31 characters
        lifecycle: { a23456789012345678901234567890x: [] },
        initial: 'a23456789012345678901234567890x',
        cancel: 'a23456789012345678901234567890x',
      }),
  ],
];

/** Returns the message of the TypeError that a program throws. */
function messageOf(program: () => unknown): string {
  try {
    program();
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
  return 'nothing was thrown';
}

/** A table that the compiler knows nothing of, as one that was read from a file. */
function table(value: unknown): Readonly<Record<string, readonly string[]>>;
function table(value: unknown): unknown {
  return value;
}

describe('a definition of orders', () => {
  it.each(FAULTS)('throws for %s, which does not compile', (_, message, program) => {
    expect(messageOf(program)).toBe(`defineOrders: ${message}`);
  });

  it.each(RESERVED)('throws for the reserved name %s, which does not compile', (name, program) => {
    expect(messageOf(program)).toBe(`defineOrders: the status "${name}" has a reserved name`);
  });

  it.each(NAMES)('throws for the invalid name "%s", which does not compile', (name, program) => {
    const rule = 'must be 1 to 30 of a-z, 0-9 and _, the first a letter';
    expect(messageOf(program)).toBe(`defineOrders: the status "${name}" ${rule}`);
  });

  it('accepts a name of thirty characters', () => {
    const name = 'a2345678901234567890_234567890';
    const orders = defineOrders({
      lifecycle: { a2345678901234567890_234567890: [] },
      initial: 'a2345678901234567890_234567890',
      cancel: 'a2345678901234567890_234567890',
    });
    expect(orders.statuses).toEqual([name]);
  });

  it.each([
    ['no object', [], 'lifecycle must be an object'],
    ['null', null, 'lifecycle must be an object'],
    ['a row of text', { a: 'bc' }, 'the status "a" must have an array of statuses'],
    ['a row with a number', { a: [1] }, 'the status "a" leads to "1", which is none of a'],
  ])('throws for a lifecycle that is %s', (_, lifecycle, message) => {
    const program = () => defineOrders({ lifecycle: table(lifecycle), initial: 'a', cancel: 'a' });
    expect(messageOf(program)).toBe(`defineOrders: ${message}`);
  });

  it('has at most forty statuses', () => {
    const chain = (length: number) =>
      table(Object.fromEntries(Array.from({ length }, (_, at) => [`s${at}`, at + 1 < length ? [`s${at + 1}`] : []])));
    const define = (length: number) => () =>
      defineOrders({ lifecycle: chain(length), initial: 's0', cancel: `s${length - 1}` });
    expect(define(ORDER_STATUSES_MAX)().statuses).toHaveLength(40);
    expect(messageOf(define(41))).toBe('defineOrders: lifecycle must have 1 to 40 statuses, got 41');
  });

  it.each<[object, string]>([
    [{ requires: { sold: [] } }, 'requires has "sold", which is none of pending, paid, shipped, delivered, cancelled'],
    [
      { requires: { paid: ['sold', 7] } },
      'requires has "sold", which is none of pending, paid, shipped, delivered, cancelled',
    ],
    [{ requires: { shipped: 'paid' } }, 'requires of "shipped" must be an array of statuses'],
    [{ refusals: { status_required: 'x' } }, 'the refusal "status_required" must be a sentence'],
    [{ refusals: { late: '' } }, 'the refusal "late" must be a sentence'],
    [{ refusals: { late: 7 } }, 'the refusal "late" must be a sentence'],
    [{ guards: { place: 'x' } }, 'the guard "place" must be a function'],
    [{ guards: { enter: { paid: 7 } } }, 'the guard "paid" must be a function'],
    ...['requires', 'refusals', 'guards'].map(
      (name) => [{ [name]: [] }, `${name} must be an object`] satisfies [object, string],
    ),
  ])('has no faulty rules: %j', (rules, message) => {
    const { lifecycle, initial, cancel } = ORDERS;
    expect(messageOf(() => defineOrders({ lifecycle, initial, cancel, ...rules }))).toBe(`defineOrders: ${message}`);
  });

  it('may have custom data with optional members', () => {
    const parse = (): Result<{ readonly pick_up?: { readonly shop?: string } }, never> => ok({});
    const custom = { parse, schema: { type: 'object' } };
    const orders = defineOrders({ lifecycle: { open: [] }, initial: 'open', cancel: 'open', custom });
    expect(orders.custom.parse({ pick_up: 7 })).toEqual(ok({}));
  });

  it('is frozen with all its members, and copies what it was made of', () => {
    const lifecycle = { a: ['constructor'], constructor: [] as string[] };
    const orders = defineOrders({
      lifecycle: table(lifecycle),
      initial: 'a',
      cancel: 'constructor',
      custom: { parse: () => ok('x'), schema },
    });
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null
        ? true
        : Object.isFrozen(value) && Object.values(value).every((member) => isFrozen(member));
    expect(isFrozen(orders)).toBe(true);
    expect(Object.isFrozen(lifecycle.a)).toBe(false);
    expect(Object.isFrozen(schema)).toBe(false);
    expect(orders.entries['constructor']).toEqual({ event: 'order.constructor', time: 'constructor_at' });
  });

  it('has what follows from its lifecycle', () => {
    const orders = defineOrders({
      lifecycle: { open: ['held', 'closed'], held: ['open', 'void'], closed: [], void: [] },
      initial: 'open',
      cancel: 'void',
    });
    expect(orders).toEqual({
      lifecycle: { open: ['held', 'closed'], held: ['open', 'void'], closed: [], void: [] },
      initial: 'open',
      cancel: 'void',
      custom: null,
      requires: {},
      refusals: {},
      guards: { enter: {} },
      lookups: {},
      statuses: ['open', 'held', 'closed', 'void'],
      eventTypes: [
        'order.placed',
        'order.changed',
        'order.adjusted',
        'order.items_added',
        'order.items_fulfilled',
        'order.items_returned',
        'order.items_cancelled',
        'order.fulfillment_cancelled',
        'order.imported',
        'order.corrected',
        'order.erased',
        'order.held',
        'order.closed',
        'order.void',
        'order.deleted',
      ],
      entries: {
        open: { event: 'order.changed', time: null },
        held: { event: 'order.held', time: 'held_at' },
        closed: { event: 'order.closed', time: 'closed_at' },
        void: { event: 'order.void', time: 'void_at' },
      },
      noTimes: { held_at: null, closed_at: null, void_at: null },
      unset: orders.unset,
      members: [...Object.keys(orders.unset), 'available_transitions'],
    });
    expect(Object.keys(orders.unset).slice(-5)).toEqual([
      'held_at',
      'closed_at',
      'void_at',
      'corrected_at',
      'erased_at',
    ]);
  });

  it('ORDERS is the default one', () => {
    expect([ORDERS.initial, ORDERS.cancel, ORDERS.custom]).toEqual(['pending', 'cancelled', null]);
    expect(Object.keys(ORDERS.noTimes)).toEqual(['paid_at', 'shipped_at', 'delivered_at', 'cancelled_at']);
  });
});
