import { defineOrders, ORDERS } from '@orders/domain';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { planDefinition } from '../../src/definition/plan-definition.ts';
import { BAKERY } from './definition-files.ts';

const { lifecycle, initial, cancel } = BAKERY;
const OLD = { lifecycle, initial, cancel };
/** Without `ready`, with `on_hold`, from which no order ends. */
const NEXT = {
  ...OLD,
  lifecycle: {
    received: ['baking', 'on_hold', 'cancelled'],
    baking: ['collected', 'waiting'],
    on_hold: ['waiting'],
    waiting: ['on_hold'],
    collected: [],
    cancelled: [],
  },
};

const planOf = (old: Parameters<typeof defineOrders>[0], next: Parameters<typeof defineOrders>[0]) =>
  planDefinition(defineOrders(old), defineOrders(next));

const custom = (schema: object, required = false) => ({
  parse: (input: unknown) => ok(input),
  schema: { ...schema },
  required,
});

describe('the plan of a definition', () => {
  it('has every difference, and the steps by which no order is unavailable', () => {
    const plan = planOf(
      { ...OLD, requires: { collected: ['ready'] } },
      { ...NEXT, requires: { collected: ['baking'] }, custom: custom({}, true) },
    );
    expect(plan).toEqual({
      rolling: 'unsafe',
      unreadable: [
        { status: 'on_hold', lacking: 'old' },
        { status: 'waiting', lacking: 'old' },
        { status: 'ready', lacking: 'new' },
      ],
      stranded: [{ status: 'ready', reason: 'removed' }],
      added: {
        statuses: ['on_hold', 'waiting'],
        transitions: ['baking -> collected'],
        events: ['order.on_hold', 'order.waiting'],
        refusals: ['collected requires baking'],
      },
      removed: {
        statuses: ['ready'],
        transitions: ['baking -> cancelled'],
        events: ['order.ready'],
        refusals: ['collected requires ready'],
      },
      custom: 'added_required',
      lookups: [],
      clients: [
        'A change to ready is 422, and a list of orders in ready is 400.',
        'Orders no longer have ready_at.',
        'The change baking -> cancelled is 409.',
        'Events that no longer occur, and 400 as a filter of events: order.ready.',
        'Orders can have further statuses: on_hold, waiting.',
        'Orders have further members: on_hold_at, waiting_at.',
        'There are further events: order.on_hold, order.waiting.',
        'A write can be refused with 409: collected requires baking.',
        'No write is refused any more for this: collected requires ready.',
        'Orders have the member custom, which is null for those before.',
        'A new order without custom is 422, and so is a change that removes it.',
      ],
      steps: [
        'Deploy OLD but with "ready": ["ready"] in its requires, one server after another: no order becomes these any more.',
        'Move each order in ready to another status: no server starts with NEW before.',
        'Deploy NEW without custom_required but with "on_hold": ["on_hold"], "waiting": ["waiting"] in its requires, one server after another: all servers then have them, and no order becomes them yet.',
        'Deploy NEW without custom_required, one server after another.',
        'Let clients send custom with every new order.',
        'Deploy NEW, one server after another.',
      ],
    });
    const closedOld = { ...OLD, requires: { ready: ['ready'] } };
    const closedNext = { ...NEXT, requires: { on_hold: ['on_hold'], waiting: ['waiting'] } };
    const steps = [planOf(OLD, closedOld), planOf(closedOld, closedNext), planOf(closedNext, NEXT)];
    expect(steps.map(({ rolling }) => rolling)).toEqual(['safe', 'safe', 'safe']);
  });

  it('is one step for a definition with the same statuses', () => {
    const plan = planOf(OLD, {
      ...OLD,
      requires: { collected: ['collected'] },
      refusals: { no_bread: 'No bread today.' },
    });
    expect(plan).toMatchObject({
      rolling: 'safe',
      stranded: [{ status: 'ready', reason: 'no_terminal_status' }],
      added: { refusals: ['no order becomes collected', 'no_bread: No bread today.'] },
      clients: [
        'A write can be refused with 409: no order becomes collected.',
        'A write can be refused with 409: no_bread: No bread today.',
      ],
      steps: [
        'Move orders that must end out of ready, or let NEW lead on from it.',
        'Deploy NEW, one server after another.',
      ],
    });
    expect(planOf(OLD, OLD)).toMatchObject({ clients: [], steps: ['Deploy NEW, one server after another.'] });
  });

  it('stops all servers for another initial status, which cannot be closed', () => {
    const next = { ...OLD, lifecycle: { booked: ['received'], ...lifecycle }, initial: 'booked', cancel: 'collected' };
    expect(planOf(OLD, next)).toMatchObject({
      rolling: 'unsafe',
      clients: expect.arrayContaining([
        'New orders begin as booked instead of received.',
        'A cancelled order is collected instead of cancelled; those in cancelled count as not cancelled.',
      ]) as unknown,
      steps: ['Stop all servers with OLD, then start those with NEW.'],
    });
    expect(planOf(next, OLD).steps).toEqual([
      'Let clients place no orders.',
      'Move each order in booked to another status: no server starts with NEW before.',
      'Stop all servers with OLD, then start those with NEW.',
    ]);
    expect(planOf(OLD, { lifecycle: ORDERS.lifecycle, initial: 'pending', cancel: 'cancelled' }).steps).toEqual([
      'Use another database: NEW is for other orders, and no server starts with it on this one.',
    ]);
  });

  it.each([
    [custom({}), undefined, 'removed', 'Orders no longer have custom'],
    [undefined, custom({}), 'added', 'Orders have the member custom'],
    [custom({}), custom({}, true), 'required', 'A new order without custom is 422'],
    [custom({}), custom({ type: 'object' }), 'schema', 'Values of custom are checked by another schema'],
    [custom({}), custom({ type: 'object' }, true), 'schema_required', 'Values of custom are checked by another schema'],
  ])('has what differs in custom data', (before, after, change, client) => {
    const plan = planOf({ ...OLD, ...(before && { custom: before }) }, { ...OLD, ...(after && { custom: after }) });
    expect(plan).toMatchObject({ rolling: 'safe', custom: change });
    expect(plan.clients[0]).toContain(client);
    expect(plan.steps.length).toBe({ removed: 1, added: 1, required: 2, schema: 2, schema_required: 3 }[change]);
  });

  it('ends with the rebuild of the lookups whose functions differ', () => {
    const read = (value: unknown) => String(value);
    const before = { vin: read, plate: () => null, key: read };
    const after = { vin: read, plate: read, serial: read };
    const own = { ...OLD, custom: custom({}) };
    const { lookups, clients, steps } = planOf({ ...own, lookups: before }, { ...own, lookups: after });
    expect(lookups).toEqual(['plate', 'key', 'serial']);
    expect(clients).toEqual(['A list of orders is 400 by own.key.']);
    expect(steps.at(-1)).toContain('orders lookups rebuild');
    expect(planOf({ ...own, lookups: before }, { ...own, lookups: before }).steps).toHaveLength(1);
  });
});
