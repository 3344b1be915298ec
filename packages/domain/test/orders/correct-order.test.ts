import { createDomain, defineOrders, type OrderDefinition, untyped, withLostStatus } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  aDomain,
  aLine,
  anOrderIn,
  aPlacedOrder,
  fails,
  invalidFields,
  NOW,
  OWNER,
  succeeds,
} from '../fixtures/a-domain.ts';
import { definitions } from '../fixtures/a-definition.ts';

const LATER = '2026-01-02T03:05:05.678Z';
const TIMES = { paid_at: null, shipped_at: null, delivered_at: null, cancelled_at: null };

it.each([
  ['pending', 'shipped', { shipped_at: LATER }],
  ['shipped', 'paid', { paid_at: LATER }],
  ['delivered', 'pending', {}],
  // What was left is no longer known to have been, and what leads to the new status stays.
  ['paid', 'delivered', { delivered_at: LATER }],
  ['delivered', 'shipped', { paid_at: NOW, shipped_at: LATER }],
  ['cancelled', 'shipped', { shipped_at: LATER }],
  ['shipped', 'cancelled', { paid_at: NOW, cancelled_at: LATER }],
] as const)('an order that is %s by mistake is corrected to %s', async (mistake, status, times) => {
  const domain = aDomain();
  const before = await anOrderIn(domain, mistake, { note: 'kept' });
  domain.clock.advance(60_000);
  const input = { status, reason: 'scanned twice' };
  const { order, event } = await succeeds(domain.correctOrder(OWNER, before.id, input, { idempotencyKey: 'k' }));
  const now = { ...TIMES, ...times, corrected_at: LATER };
  const version = before.version + 1;
  const changes = { status, available_transitions: domain.definition.lifecycle[status], version, updated_at: LATER };
  expect(order).toEqual({ ...before, ...now, ...changes });
  const changed = Object.keys(now).filter((name) => Reflect.get(before, name) !== Reflect.get(now, name));
  expect(event).toMatchObject({ type: 'order.corrected', version, changed: ['status', ...changed] });
  const replay = await succeeds(domain.correctOrder(OWNER, before.id, input, { idempotencyKey: 'k' }));
  expect(replay).toEqual({ order, event: null, replayed: true });
  const [newest] = (await succeeds(domain.listOrderVersions(OWNER, before.id))).data;
  expect(newest).toMatchObject({ type: 'order.corrected', reason: 'scanned twice', order });
});

it('a correction leaves no reason of a cancellation, and makes none', async () => {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain);
  await succeeds(domain.cancelOrder(OWNER, id, { reason: 'too late' }));
  const { order, event } = await succeeds(domain.correctOrder(OWNER, id, { status: 'paid' }));
  expect(order).toMatchObject({ status: 'paid', cancel_reason: null, cancelled_at: null });
  expect(event?.changed).toContain('cancel_reason');
  const again = await succeeds(domain.correctOrder(OWNER, id, { status: 'cancelled', reason: 'a mistake' }));
  expect(again.order).toMatchObject({ status: 'cancelled', cancel_reason: null });
});

it('a correction to the status of the order changes nothing, and others have their errors', async () => {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain);
  const same = await succeeds(domain.correctOrder(OWNER, id, { status: 'pending' }, { ifVersion: [1] }));
  expect(same).toMatchObject({ order: { version: 1, corrected_at: null }, event: null });
  const stale = { type: 'precondition_failed', current_version: 1 };
  expect(await fails(domain.correctOrder(OWNER, id, { status: 'paid' }, { ifVersion: [2] }))).toEqual(stale);
  const invalid = await fails(domain.correctOrder(OWNER, id, { status: 'lost', note: 'x' }));
  expect(invalid).toMatchObject(invalidFields('note: unknown_field', 'status: invalid_value'));
});

/** Placed orders can do nothing. */
const STRICT = defineOrders({
  lifecycle: { open: ['done', 'void'], done: [], void: [] },
  initial: 'open',
  cancel: 'void',
  requires: { done: ['void'] },
  refusals: { never: 'Never.' },
  guards: { enter: { done: () => 'never' }, change: () => 'never', cancel: () => 'never' },
});

const domainOf = (definition: OrderDefinition) => {
  const clock = fixedClock(NOW);
  const store = inMemoryStore({ definition });
  return { clock, ...untyped(createDomain<OrderDefinition>({ ...store, clock, ids: sequentialIds() }, definition)) };
};

it('no guard and no required status refuses a correction', async () => {
  const domain = domainOf(STRICT);
  const { id } = (await succeeds(domain.placeOrder(OWNER, { items: [aLine()] }))).order;
  expect((await succeeds(domain.correctOrder(OWNER, id, { status: 'done' }))).order.status).toBe('done');
});

it('leaves a status that the definition has lost, with its time', async () => {
  const definition = withLostStatus(STRICT, 'held');
  const domain = domainOf(definition);
  const { id } = (await succeeds(domain.placeOrder(OWNER, { items: [aLine()] }))).order;
  await succeeds(domain.correctOrder(OWNER, id, { status: 'held' }));
  const { order, event } = await succeeds(domain.correctOrder(OWNER, id, { status: 'done' }));
  expect(order).toMatchObject({ status: 'done', held_at: null, done_at: NOW });
  expect(event?.changed).toEqual(['status', 'done_at', 'held_at']);
  expect(STRICT.statuses).not.toContain('held');
});

it('an order of any definition is imported as it is after corrections and changes', async () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(), fc.nat(2)), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(definitions, steps, async (definition, taken) => {
      const domain = domainOf(definition);
      let { order } = await succeeds(domain.placeOrder(OWNER, { items: [aLine()] }));
      for (const [corrects, choice, waited] of taken) {
        domain.clock.advance(waited);
        const targets = corrects ? definition.statuses : order.available_transitions;
        const status = targets[choice % targets.length];
        if (status === undefined) continue;
        const write = corrects ? domain.correctOrder : domain.changeOrder;
        ({ order } = await succeeds(write(OWNER, order.id, { status })));
      }
      const other = domainOf(definition);
      other.clock.advance(60_000);
      expect((await succeeds(other.importOrder(OWNER, order))).order).toEqual(order);
    }),
    propertyRuns(100),
  );
});
