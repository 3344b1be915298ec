import type { OrderVersionQueryInput } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  anOrderIn,
  aPlacedOrder,
  type DomainUnderTest,
  fails,
  invalidFields,
  OTHER_OWNER,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

/** Places an order at 03:04:05.678, then pays, changes and deletes it, each one second later. */
async function aDeletedOrder(domain: DomainUnderTest) {
  const placed = await aPlacedOrder(domain, { metadata: { z: '1', '10': '2', a: '3' } });
  const { id } = placed;
  domain.clock.advance(1000);
  const paid = await succeeds(domain.changeOrder(OWNER, id, { status: 'paid' }, { actor: 'client:web' }));
  domain.clock.advance(1000);
  const changed = await succeeds(domain.changeOrder(OWNER, id, { note: 'n', metadata: { a: null } }));
  domain.clock.advance(1000);
  await succeeds(domain.deleteOrder(OWNER, id, { actor: 'api_key:ord_4fT9' }));
  return { id, orders: [placed, paid.order, changed.order] };
}

const versionsOf = async (domain: DomainUnderTest, id: string, input?: OrderVersionQueryInput) =>
  (await succeeds(domain.listOrderVersions(OWNER, id, input))).data;
const numbersOf = async (domain: DomainUnderTest, id: string, input?: OrderVersionQueryInput) =>
  (await versionsOf(domain, id, input)).map(({ version }) => version);

describe('the versions of an order', () => {
  it('have the change and the order after it, newest first', async () => {
    const domain = aDomain();
    const { id, orders } = await aDeletedOrder(domain);
    const at = (second: number) => `2026-01-02T03:04:0${second}.678Z`;
    const versions = [
      { type: 'order.placed', changed: [], occurred_at: at(5), actor: null },
      { type: 'order.paid', changed: ['status', 'paid_at'], occurred_at: at(6), actor: 'client:web' },
      { type: 'order.changed', changed: ['note', 'metadata'], occurred_at: at(7), actor: null },
      { type: 'order.deleted', changed: [], occurred_at: at(8), actor: 'api_key:ord_4fT9' },
    ].map((version, index) => ({ ...version, version: index + 1, order: orders[index] ?? null }));
    const listed = await versionsOf(domain, id);
    expect(listed).toEqual(versions.toReversed());
    expect(listed.map(({ order }) => JSON.stringify(order))).toEqual(
      versions.toReversed().map(({ order }) => JSON.stringify(order)),
    );
    for (const version of versions)
      expect(await succeeds(domain.getOrderVersion(OWNER, id, version.version))).toEqual(version);
  });

  it('are twenty per page by default, and continue at a position', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    for (let count = 0; count < 24; count += 1) await succeeds(domain.changeOrder(OWNER, id, { note: `${count}` }));
    const first = await succeeds(domain.listOrderVersions(OWNER, id));
    expect(first.data).toHaveLength(20);
    expect(first.next).toEqual({ value: 6, id });
    const rest = await succeeds(domain.listOrderVersions(OWNER, id, { after: first.next ?? undefined }));
    expect(rest.data.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
    expect(rest.next).toBeNull();
    const upperCase = { value: 3, id: id.toUpperCase() };
    expect(await numbersOf(domain, id.toUpperCase(), { after: upperCase, limit: 1 })).toEqual([2]);
  });

  it.each([
    ['2026-01-02T03:04:05.677Z', []],
    ['2026-01-02T03:04:05.678Z', [1]],
    ['2026-01-02T03:04:05.678999999Z', [1]],
    ['2026-01-02T03:04:06.677999Z', [1]],
    ['2026-01-02T03:04:06.678Z', [2]],
    ['2026-01-02T05:34:06.678+02:30', [2]],
    ['2026-01-01T20:04:06.678-07:00', [2]],
    ['2026-01-02T03:04:07Z', [2]],
    ['2026-01-02t03:04:07.7z', [3]],
    ['2026-01-02T03:04:08.678Z', [4]],
    ['9999-12-31T23:59:59.999Z', [4]],
    ['0001-01-01T00:00:00Z', []],
  ])('are selected by the time %s', async (at, expected) => {
    const domain = aDomain();
    const { id } = await aDeletedOrder(domain);
    expect(await numbersOf(domain, id, { at })).toEqual(expected);
  });

  it.each([UNKNOWN_ID, 'PO-1', ''])('are not found by the id %j', async (id) => {
    const domain = aDomain();
    expect(await fails(domain.listOrderVersions(OWNER, id))).toEqual({ type: 'order_not_found', id });
    expect(await fails(domain.getOrderVersion(OWNER, id, 1))).toEqual({ type: 'version_not_found', id });
  });

  it.each([0, -1, 5, 1.5, 2 ** 31, 2 ** 53, Number.NaN, Infinity])('are not found by the number %d', async (number) => {
    const domain = aDomain();
    const { id } = await aDeletedOrder(domain);
    expect(await fails(domain.getOrderVersion(OWNER, id, number))).toEqual({ type: 'version_not_found', id });
  });

  it('are not found by another owner', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'paid');
    expect(await fails(domain.listOrderVersions(OTHER_OWNER, id))).toEqual({ type: 'order_not_found', id });
    expect(await fails(domain.getOrderVersion(OTHER_OWNER, id, 1))).toEqual({ type: 'version_not_found', id });
  });

  it('are rejected for a position of another order, after the check of the owner', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'paid');
    const error = { errors: [{ field: 'after', code: 'invalid_value', message: 'must be a position in this order' }] };
    for (const foreign of [(await anOrderIn(domain, 'paid')).id, UNKNOWN_ID, 'x', '']) {
      const input = { after: { value: 2, id: foreign } };
      expect(await fails(domain.listOrderVersions(OWNER, id, input))).toMatchObject(error);
      expect((await fails(domain.listOrderVersions(OTHER_OWNER, id, input))).type).toBe('order_not_found');
    }
  });

  it('do not increase when a change has no effect or fails', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'cancelled');
    await succeeds(domain.changeOrder(OWNER, id, { note: null }));
    await fails(domain.changeOrder(OWNER, id, { status: 'paid' }));
    await fails(domain.deleteOrder(OWNER, id, { ifVersion: [1] }));
    expect(await numbersOf(domain, id)).toEqual([2, 1]);
  });
});

describe('a query for versions', () => {
  const after = { value: 1, id: UNKNOWN_ID };

  it.each<[OrderVersionQueryInput, ...string[]]>([
    [{ limit: 0 }, 'limit: out_of_range'],
    [{ limit: 101 }, 'limit: out_of_range'],
    [{ limit: 1.5 }, 'limit: wrong_type'],
    [{ after: { ...after, value: 0 } }, 'after: invalid_value'],
    [{ after: { ...after, value: -1 } }, 'after: invalid_value'],
    [{ after: { ...after, value: 1.5 } }, 'after: invalid_value'],
    [{ after: { ...after, value: Number.NaN } }, 'after: invalid_value'],
    [{ after: { ...after, value: 2 ** 53 } }, 'after: invalid_value'],
    [{ at: '' }, 'at: invalid_format'],
    [{ at: '2026-01-02T03:04:05Z', after }, 'at: invalid_value'],
    [{ at: 'x', after }, 'at: invalid_format', 'at: invalid_value'],
    [
      { limit: 0, after: { ...after, value: 0 }, at: 'x' },
      'limit: out_of_range',
      'after: invalid_value',
      'at: invalid_format',
      'at: invalid_value',
    ],
  ])('is rejected for %o, before the order is looked up', async (input, ...fields) => {
    expect(await fails(aDomain().listOrderVersions(OWNER, UNKNOWN_ID, input))).toMatchObject(invalidFields(...fields));
  });
});
