import { createDomain, type OrderDefinition, untyped } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { assert, describe, expect, it } from 'vitest';
import { definitions } from './a-definition.ts';

const OWNER = 'acme';
const items = [{ sku: 'MUG', name: 'Mug', quantity: 1, unit_price: { amount: 1999, currency: 'EUR' } }];

function aDomainOf(definition: OrderDefinition) {
  const store = inMemoryStore({ definition });
  const clock = fixedClock();
  return { domain: untyped(createDomain({ ...store, clock, ids: sequentialIds() }, definition)), store, clock };
}

/** Tries to enter one status after the other, and compares each outcome with what the table says. */
async function follow(definition: OrderDefinition, walk: readonly number[]): Promise<void> {
  const { domain, store, clock } = aDomainOf(definition);
  const { lifecycle, initial, cancel, statuses } = definition;
  let before = (await domain.placeOrder(OWNER, { items }))._unsafeUnwrap().order;
  const entered: Record<string, string | null> = { ...definition.noTimes };
  const types: string[] = ['order.placed'];
  for (const step of walk) {
    clock.advance(1000);
    const allowed = lifecycle[before.status] ?? [];
    // Half of the steps are allowed, if any is.
    const choices = step % 2 === 0 && allowed.length > 0 ? allowed : statuses;
    const to = choices[Math.floor(step / 2) % choices.length] ?? initial;
    const isCancellation = to === cancel && step % 3 === 0;
    const outcome = isCancellation
      ? await domain.cancelOrder(OWNER, before.id, { reason: 'why' })
      : await domain.changeOrder(OWNER, before.id, { status: to });
    if (to === cancel && before.status === cancel) {
      assert.deepEqual<unknown>(outcome._unsafeUnwrapErr(), {
        type: 'order_already_cancelled',
        [`${cancel}_at`]: entered[`${cancel}_at`] ?? null,
        current_version: before.version,
      });
      continue;
    }
    if (to !== before.status && !allowed.includes(to)) {
      assert.deepEqual(outcome._unsafeUnwrapErr(), {
        type: 'invalid_status_transition',
        current_status: before.status,
        requested_status: to,
        available_transitions: allowed,
      });
      continue;
    }
    const { order } = outcome._unsafeUnwrap();
    if (to !== before.status) {
      types.push(to === initial ? 'order.changed' : `order.${to}`);
      if (to !== initial) entered[`${to}_at`] = order.updated_at;
    }
    expect(order).toMatchObject({ status: to, version: types.length, ...entered });
    expect(Object.keys(order)).not.toContain(`${initial}_at`);
    expect(to === cancel || order.cancel_reason === null).toBe(true);
    before = order;
  }
  expect(store.events().map(({ type }) => type)).toEqual(types);
  const listed = (await domain.listOrders(OWNER, { status: [before.status] }))._unsafeUnwrap();
  expect(listed.data).toEqual([before]);
}

describe('generated definitions', () => {
  it('have one status and forty, cycles and several terminal statuses among them', () => {
    const sample = fc.sample(definitions, { numRuns: 300, seed: 7 });
    const terminals = ({ lifecycle }: OrderDefinition) =>
      Object.values(lifecycle).filter(({ length }) => length === 0).length;
    const returns = ({ lifecycle, initial }: OrderDefinition) =>
      Object.values(lifecycle).some((targets) => targets.includes(initial));
    const counts = sample.map(({ statuses }) => statuses.length);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([1, 40]);
    expect(sample.some((one) => terminals(one) > 3)).toBe(true);
    expect(sample.some(returns)).toBe(true);
  });

  it('allow the transitions of their table, and record them', async () => {
    const walks = fc.array(fc.nat(), { maxLength: 30, size: 'max' });
    await fc.assert(fc.asyncProperty(definitions, walks, follow), propertyRuns(25));
  });
});
