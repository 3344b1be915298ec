import { describe, expect, it } from 'vitest';
import {
  aDomain,
  anOrderIn,
  aPlacedOrder,
  badFields,
  CUSTOMER,
  NOBODY,
  NOW,
  OTHER_CUSTOMER,
  OWNER,
  refuses,
  STRANGER,
  succeeds,
} from './a-domain.ts';

const SAID = { customer_id: CUSTOMER, reference: 'PO-1', note: 'ring twice', metadata: { a: '1' } };
const LATER = '2026-01-02T03:04:06.678Z';

describe('a change of an order', () => {
  it.each([
    ['customer_id', OTHER_CUSTOMER],
    ['reference', 'PO-2'],
    ['note', 'ring once'],
    ['note', ''],
    ['metadata', { a: '2' }],
  ])('of its %s to %o leaves everything else as it was', async (field, value) => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain, SAID);
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
    const before = await aPlacedOrder(domain, SAID);
    const { order, event } = await succeeds(domain.changeOrder(OWNER, before.id, { [field]: null }));
    expect(order).toEqual({ ...before, [field]: cleared, version: 2 });
    expect(event?.changed).toEqual([field]);
  });

  it.each([
    ['an empty patch', {}],
    ['the values that it has', SAID],
    ['the status that it has', { status: 'pending' }],
    ['its customer in upper case', { customer_id: CUSTOMER.toUpperCase() }],
    ['members that are undefined, as an embedder may send them', { status: undefined, note: undefined }],
    ['an empty patch of its metadata', { metadata: {} }],
    ['the removal of a key that it does not have', { metadata: { b: null } }],
  ])('by %s changes nothing: the same version, no event', async (_, patch) => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain, SAID);
    domain.clock.advance(1000);
    const outcome = await succeeds(domain.changeOrder(OWNER, before.id, patch));
    expect(outcome).toEqual({ order: before, event: null, replayed: false });
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
    expect(domain.events()).toHaveLength(1);
  });

  it('by null of what is absent changes nothing', async () => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain);
    const nothing = { customer_id: null, reference: null, note: null, metadata: null };
    const outcome = await succeeds(domain.changeOrder(OWNER, before.id, nothing));
    expect(outcome).toEqual({ order: before, event: null, replayed: false });
  });

  it('of many fields is one step and one event, named by the transition', async () => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain);
    domain.clock.advance(1000);
    const { order, event } = await succeeds(domain.changeOrder(OWNER, before.id, { ...SAID, status: 'paid' }));
    expect(order).toEqual({ ...before, ...SAID, status: 'paid', paid_at: LATER, updated_at: LATER, version: 2 });
    expect(event).toMatchObject({ type: 'order.paid', owner: OWNER, aggregate_id: before.id, version: 2 });
    expect(event?.changed).toEqual(['status', 'paid_at', 'customer_id', 'reference', 'note', 'metadata']);
    expect(domain.events().slice(1)).toEqual([event]);
  });

  it('names in its event only what became different', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain, SAID);
    const { event } = await succeeds(domain.changeOrder(OWNER, id, { ...SAID, note: 'ring once' }));
    expect(event?.changed).toEqual(['note']);
  });

  it.each([
    ['a move that the lifecycle lacks', { status: 'delivered' }, { type: 'invalid_status_transition' }],
    ['an unknown customer', { customer_id: NOBODY }, badFields('customer_id: not_found')],
    ['a bad field', { reference: '' }, badFields('reference: too_short')],
  ])('is refused whole for %s', async (_, bad, refusal) => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain);
    const patch = { note: 'n', metadata: { a: '1' }, ...bad };
    expect(await refuses(domain.changeOrder(OWNER, before.id, patch))).toMatchObject(refusal);
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
    expect(domain.events()).toHaveLength(1);
  });

  it('names an unknown customer before metadata that grew too large, and only an unknown one', async () => {
    const domain = aDomain();
    const full = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, 'v']));
    const { id } = await aPlacedOrder(domain, { metadata: full });
    const change = (customer_id: string | null) =>
      refuses(domain.changeOrder(OWNER, id, { customer_id, metadata: { more: 'v' } }));
    expect(await change(NOBODY)).toMatchObject(badFields('customer_id: not_found', 'metadata: too_long'));
    for (const customer of [CUSTOMER, null])
      expect(await change(customer)).toMatchObject(badFields('metadata: too_long'));
  });

  it('is refused whole for a reference that another order has, naming that', async () => {
    const domain = aDomain();
    const holder = await aPlacedOrder(domain, { reference: 'PO-1' });
    const before = await aPlacedOrder(domain);
    const refusal = await refuses(domain.changeOrder(OWNER, before.id, { note: 'n', reference: 'PO-1' }));
    expect(refusal).toEqual({ type: 'reference_taken', order_id: holder.id });
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
  });

  it('sets a reason to cancel only together with status cancelled', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'paid');
    const lone = badFields('cancel_reason: invalid_value');
    expect(await refuses(domain.changeOrder(OWNER, id, { cancel_reason: 'x' }))).toMatchObject(lone);
    expect(await refuses(domain.changeOrder(OWNER, id, { status: 'paid', cancel_reason: 'x' }))).toMatchObject(lone);
    const patch = { status: 'cancelled', cancel_reason: 'x' };
    expect((await succeeds(domain.changeOrder(OWNER, id, patch))).order).toMatchObject(patch);
    expect(await refuses(domain.changeOrder(OWNER, id, { cancel_reason: 'y' }))).toMatchObject(lone);
  });
});

describe('the order to change', () => {
  it('is found by its id in any case', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const { order } = await succeeds(domain.changeOrder(OWNER, id.toUpperCase(), { note: 'n' }));
    expect(order.id).toBe(id);
  });

  it.each([NOBODY, '', 'PO-1', '../orders', `${NOBODY}\0`])('is not found by %j', async (id) => {
    const domain = aDomain();
    const missing = { type: 'order_not_found', id };
    expect(await refuses(domain.changeOrder(OWNER, id, {}))).toEqual(missing);
    expect(await refuses(domain.cancelOrder(OWNER, id))).toEqual(missing);
    expect(await refuses(domain.getOrder(OWNER, id))).toEqual(missing);
  });

  it('is not found by another owner, and stays as it is', async () => {
    const domain = aDomain();
    const order = await aPlacedOrder(domain);
    const missing = { type: 'order_not_found', id: order.id };
    expect(await refuses(domain.changeOrder(STRANGER, order.id, { note: 'n' }))).toEqual(missing);
    expect(await refuses(domain.cancelOrder(STRANGER, order.id))).toEqual(missing);
    expect(await refuses(domain.getOrder(STRANGER, order.id))).toEqual(missing);
    expect(await succeeds(domain.getOrder(OWNER, order.id))).toEqual(order);
  });
});

describe('a change that names versions', () => {
  it.each([
    { ifVersion: [1] },
    { ifVersion: [1, 3] },
    { ifVersion: [] },
    { unlessVersion: [2] },
    { unlessVersion: [7, 2] },
    { unlessVersion: 'any' as const },
    { ifVersion: [2], unlessVersion: [2] },
  ])('is refused at version 2 with %o, before its state is judged', async (options) => {
    const domain = aDomain();
    const before = await anOrderIn(domain, 'cancelled');
    const mismatch = { type: 'version_mismatch', current_version: 2 };
    expect(await refuses(domain.changeOrder(OWNER, before.id, { note: 'n' }, options))).toEqual(mismatch);
    expect(await refuses(domain.changeOrder(OWNER, before.id, {}, options))).toEqual(mismatch);
    expect(await refuses(domain.cancelOrder(OWNER, before.id, {}, options))).toEqual(mismatch);
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
  ])('goes on at version 2 with %o', async (options) => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'paid');
    const { order } = await succeeds(domain.changeOrder(OWNER, id, { note: 'n' }, options));
    expect(order).toMatchObject({ version: 3, updated_at: NOW });
  });

  it('of an order that is not there finds none', async () => {
    const refusal = await refuses(aDomain().changeOrder(OWNER, NOBODY, {}, { ifVersion: [1] }));
    expect(refusal).toEqual({ type: 'order_not_found', id: NOBODY });
  });
});
