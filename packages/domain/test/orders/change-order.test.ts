import { describe, expect, it } from 'vitest';
import {
  aDomain,
  anOrderIn,
  aPlacedOrder,
  CUSTOMER,
  fails,
  invalidFields,
  NOW,
  OTHER_CUSTOMER,
  OTHER_OWNER,
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
  ])('sets %s to %o and changes no other field', async (field, value) => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain, DETAILS);
    domain.clock.advance(1000);
    const { order, event } = await succeeds(domain.changeOrder(OWNER, before.id, { [field]: value }));
    expect(order).toEqual({ ...before, [field]: value, version: 2, updated_at: LATER });
    expect(event).toMatchObject({ type: 'order.changed', version: 2, occurred_at: LATER, changed: [field] });
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(order);
  });

  it.each([
    ['customer_id', null],
    ['reference', null],
    ['note', null],
    ['metadata', {}],
  ])('clears its %s by null', async (field, cleared) => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain, DETAILS);
    const { order, event } = await succeeds(domain.changeOrder(OWNER, before.id, { [field]: null }));
    expect(order).toEqual({ ...before, [field]: cleared, version: 2 });
    expect(event?.changed).toEqual([field]);
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
    expect(order).toEqual({ ...before, ...DETAILS, status: 'paid', paid_at: LATER, updated_at: LATER, version: 2 });
    expect(event).toMatchObject({ type: 'order.paid', owner: OWNER, aggregate_id: before.id, version: 2 });
    expect(event?.changed).toEqual(['status', 'paid_at', 'customer_id', 'reference', 'note', 'metadata']);
    expect(domain.events().slice(1)).toEqual([event]);
  });

  it('lists only the fields that differ in its event', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain, DETAILS);
    const { event } = await succeeds(domain.changeOrder(OWNER, id, { ...DETAILS, note: 'ring once' }));
    expect(event?.changed).toEqual(['note']);
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

  it('is rejected as a whole for the reference of another order, whose id it reports', async () => {
    const domain = aDomain();
    const holder = await aPlacedOrder(domain, { reference: 'PO-1' });
    const before = await aPlacedOrder(domain);
    const error = await fails(domain.changeOrder(OWNER, before.id, { note: 'n', reference: 'PO-1' }));
    expect(error).toEqual({ type: 'reference_taken', order_id: holder.id });
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
  });

  it('sets a cancellation reason only together with status cancelled', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'paid');
    const onlyReason = invalidFields('cancel_reason: invalid_value');
    expect(await fails(domain.changeOrder(OWNER, id, { cancel_reason: 'x' }))).toMatchObject(onlyReason);
    expect(await fails(domain.changeOrder(OWNER, id, { status: 'paid', cancel_reason: 'x' }))).toMatchObject(
      onlyReason,
    );
    const patch = { status: 'cancelled', cancel_reason: 'x' };
    expect((await succeeds(domain.changeOrder(OWNER, id, patch))).order).toMatchObject(patch);
    expect(await fails(domain.changeOrder(OWNER, id, { cancel_reason: 'y' }))).toMatchObject(onlyReason);
  });
});

describe('the order to change', () => {
  it('is found by its id in any case', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const { order } = await succeeds(domain.changeOrder(OWNER, id.toUpperCase(), { note: 'n' }));
    expect(order.id).toBe(id);
  });

  it.each([UNKNOWN_ID, '', 'PO-1', '../orders', `${UNKNOWN_ID}\0`])('is not found by %j', async (id) => {
    const domain = aDomain();
    const missing = { type: 'order_not_found', id };
    expect(await fails(domain.changeOrder(OWNER, id, {}))).toEqual(missing);
    expect(await fails(domain.cancelOrder(OWNER, id))).toEqual(missing);
    expect(await fails(domain.getOrder(OWNER, id))).toEqual(missing);
  });

  it('is not found by another owner, and does not change', async () => {
    const domain = aDomain();
    const order = await aPlacedOrder(domain);
    const missing = { type: 'order_not_found', id: order.id };
    expect(await fails(domain.changeOrder(OTHER_OWNER, order.id, { note: 'n' }))).toEqual(missing);
    expect(await fails(domain.cancelOrder(OTHER_OWNER, order.id))).toEqual(missing);
    expect(await fails(domain.getOrder(OTHER_OWNER, order.id))).toEqual(missing);
    expect(await succeeds(domain.getOrder(OWNER, order.id))).toEqual(order);
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
    const before = await anOrderIn(domain, 'cancelled');
    const mismatch = { type: 'version_mismatch', current_version: 2 };
    expect(await fails(domain.changeOrder(OWNER, before.id, { note: 'n' }, options))).toEqual(mismatch);
    expect(await fails(domain.changeOrder(OWNER, before.id, {}, options))).toEqual(mismatch);
    expect(await fails(domain.cancelOrder(OWNER, before.id, {}, options))).toEqual(mismatch);
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
  });

  it.each([
    {},
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
    expect(order).toMatchObject({ version: 3, updated_at: NOW });
  });

  it('returns order_not_found for a nonexistent order', async () => {
    const error = await fails(aDomain().changeOrder(OWNER, UNKNOWN_ID, {}, { ifVersion: [1] }));
    expect(error).toEqual({ type: 'order_not_found', id: UNKNOWN_ID });
  });
});
