import { describe, expect, it } from 'vitest';
import {
  aDomain,
  anOrderIn,
  aPlacedOrder,
  CUSTOMER,
  fails,
  invalidFields,
  OTHER_CUSTOMER,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const DETAILS = { customer_id: CUSTOMER, reference: 'PO-1', note: 'ring twice', metadata: { a: '1' } };
const LATER = '2026-01-02T03:04:06.678Z';

describe('a change of an order', () => {
  it.each([
    ['customer_id', OTHER_CUSTOMER],
    ['reference', 'PO-2'],
    ['note', 'ring once'],
    ['note', ''],
    ['metadata', { a: '2' }],
    ['customer_id', null],
    ['reference', null],
    ['note', null],
    ['metadata', null, {}],
  ])('sets %s to %o and changes no other field', async (field, value, stored: unknown = value) => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain, DETAILS);
    domain.clock.advance(1000);
    const { order, event } = await succeeds(domain.changeOrder(OWNER, before.id, { ...DETAILS, [field]: value }));
    expect(order).toEqual({ ...before, [field]: stored, version: 2, updated_at: LATER });
    expect(event).toMatchObject({ type: 'order.changed', version: 2, occurred_at: LATER, changed: [field] });
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(order);
  });

  it.each([
    ['an empty patch', {}],
    ['the values that it has', DETAILS],
    ['the status that it has', { status: 'pending' }],
    ['its customer in upper case', { customer_id: CUSTOMER.toUpperCase() }],
    ['members that are undefined', { status: undefined, note: undefined }],
    ['an empty patch of its metadata', { metadata: {} }],
    ['the removal of a key that it does not have', { metadata: { b: null } }],
  ])('keeps the version and records no event for %s', async (_, patch) => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain, DETAILS);
    domain.clock.advance(1000);
    const outcome = await succeeds(domain.changeOrder(OWNER, before.id, patch));
    expect(outcome).toEqual({ order: before, event: null, replayed: false });
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
    expect(domain.events()).toHaveLength(1);
  });

  it('changes nothing when null clears an absent value', async () => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain);
    const nothing = { customer_id: null, reference: null, note: null, metadata: null };
    const outcome = await succeeds(domain.changeOrder(OWNER, before.id, nothing));
    expect(outcome).toEqual({ order: before, event: null, replayed: false });
  });

  it('applies many fields as one version and one event, which has the type of the transition', async () => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain);
    domain.clock.advance(1000);
    const { order, event } = await succeeds(domain.changeOrder(OWNER, before.id, { ...DETAILS, status: 'paid' }));
    const paid = { status: 'paid', available_transitions: ['shipped', 'cancelled'], paid_at: LATER };
    expect(order).toEqual({ ...before, ...DETAILS, ...paid, updated_at: LATER, version: 2 });
    expect(event).toMatchObject({ type: 'order.paid', owner: OWNER, aggregate_id: before.id, version: 2 });
    expect(event?.changed).toEqual(['status', 'paid_at', 'customer_id', 'reference', 'note', 'metadata']);
    expect(domain.events().slice(1)).toEqual([event]);
  });

  it.each([
    ['a transition that the lifecycle does not have', { status: 'delivered' }, { type: 'invalid_status_transition' }],
    ['an unknown customer', { customer_id: UNKNOWN_ID }, invalidFields('customer_id: not_found')],
    ['an invalid field', { reference: '' }, invalidFields('reference: too_short')],
  ])('is rejected as a whole for %s', async (_, bad, error) => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain);
    const patch = { note: 'n', metadata: { a: '1' }, ...bad };
    expect(await fails(domain.changeOrder(OWNER, before.id, patch))).toMatchObject(error);
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
    expect(domain.events()).toHaveLength(1);
  });

  it('reports an unknown customer together with metadata that exceeds its limit', async () => {
    const domain = aDomain();
    const full = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, 'v']));
    const { id } = await aPlacedOrder(domain, { metadata: full });
    const change = (customer_id: string | null) =>
      fails(domain.changeOrder(OWNER, id, { customer_id, metadata: { more: 'v' } }));
    expect(await change(UNKNOWN_ID)).toMatchObject(invalidFields('customer_id: not_found', 'metadata: too_long'));
    for (const customer of [CUSTOMER, null])
      expect(await change(customer)).toMatchObject(invalidFields('metadata: too_long'));
  });
});

describe('a change with a version precondition', () => {
  it.each([
    { ifVersion: [1] },
    { ifVersion: [1, 3] },
    { ifVersion: [] },
    { unlessVersion: [2] },
    { unlessVersion: [7, 2] },
    { unlessVersion: 'any' as const },
    { ifVersion: [2], unlessVersion: [2] },
  ])('fails at version 2 with %o, before the status is checked', async (options) => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'cancelled');
    const mismatch = { type: 'precondition_failed', current_version: 2 };
    expect(await fails(domain.changeOrder(OWNER, id, {}, options))).toEqual(mismatch);
    expect(await fails(domain.cancelOrder(OWNER, id, {}, options))).toEqual(mismatch);
    expect(await fails(domain.deleteOrder(OWNER, id, options))).toEqual(mismatch);
  });

  it.each([
    { ifVersion: undefined, unlessVersion: undefined },
    { ifVersion: [2] },
    { ifVersion: [5, 2] },
    { unlessVersion: [1, 3] },
    { unlessVersion: [] },
    { ifVersion: [2], unlessVersion: [1] },
  ])('succeeds at version 2 with %o', async (options) => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'paid');
    const { order } = await succeeds(domain.changeOrder(OWNER, id, { note: 'n' }, options));
    expect(order.version).toBe(3);
  });
});
