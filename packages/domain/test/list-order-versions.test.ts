import type { OrderVersionQueryInput } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  anOrderIn,
  aPlacedOrder,
  fails,
  invalidFields,
  NOW,
  OTHER_OWNER,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from './a-domain.ts';

describe('the versions of an order', () => {
  it('are listed newest first, and by position', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'shipped');
    const first = await succeeds(domain.listOrderVersions(OWNER, id.toUpperCase(), { limit: 2 }));
    expect(first.data.map(({ version }) => version)).toEqual([3, 2]);
    expect(first.next).toEqual({ value: 2, id });
    const after = { value: 2, id: id.toUpperCase() };
    const second = await succeeds(domain.listOrderVersions(OWNER, id, { after }));
    expect(second).toMatchObject({ data: [{ version: 1 }], next: null });
    expect(await succeeds(domain.getOrderVersion(OWNER, id.toUpperCase(), 1))).toEqual(second.data[0]);
  });

  it('are rejected for a position of another order, after the check of the owner', async () => {
    const domain = aDomain();
    const [{ id }, other] = [await anOrderIn(domain, 'shipped'), await anOrderIn(domain, 'shipped')];
    for (const foreign of [other.id, UNKNOWN_ID, 'x', '']) {
      const after = { value: 2, id: foreign };
      expect(await fails(domain.listOrderVersions(OWNER, id, { after }))).toMatchObject({
        errors: [{ field: 'after', code: 'invalid_value', message: 'must be a position in this order' }],
      });
      expect(await fails(domain.listOrderVersions(OTHER_OWNER, id, { after }))).toEqual({
        type: 'order_not_found',
        id,
      });
    }
  });

  it.each([UNKNOWN_ID, 'PO-1', ''])('are not found by %j', async (id) => {
    const domain = aDomain();
    expect(await fails(domain.listOrderVersions(OWNER, id))).toEqual({ type: 'order_not_found', id });
    expect(await fails(domain.getOrderVersion(OWNER, id, 1))).toEqual({ type: 'version_not_found', id });
  });

  it.each<[OrderVersionQueryInput, string[]]>([
    [{ limit: 0 }, ['limit: out_of_range']],
    [{ after: { value: 0, id: UNKNOWN_ID } }, ['after: invalid_value']],
    [{ after: { value: 1.5, id: UNKNOWN_ID } }, ['after: invalid_value']],
    [{ after: { value: Number.NaN, id: UNKNOWN_ID } }, ['after: invalid_value']],
    [{ after: { value: 2 ** 53, id: UNKNOWN_ID } }, ['after: invalid_value']],
    [{ after: { value: 1, id: UNKNOWN_ID }, at: NOW }, ['at: invalid_value']],
    [{ limit: 101, at: '' }, ['limit: out_of_range', 'at: invalid_format']],
  ])('are rejected for %o, before the order is looked up', async (input, fields) => {
    expect(await fails(aDomain().listOrderVersions(OWNER, UNKNOWN_ID, input))).toMatchObject(invalidFields(...fields));
  });
});

describe('the time of a version', () => {
  it.each([
    ['2026-01-02T03:04:05.678Z', [1]],
    ['2026-01-02T03:04:05.67799999Z', []],
    ['2026-01-02T03:04:05.6789Z', [1]],
    ['2026-01-02T03:04:05.678999999Z', [1]],
    ['2026-01-02T03:04:05Z', []],
    ['2026-01-02t03:04:06z', [1]],
    ['2026-01-02T03:04:06.6Z', [1]],
    ['2026-01-02T03:04:06.67Z', [1]],
    ['2026-01-02T03:04:06.678Z', [2]],
    ['2026-01-02T04:04:06.678+01:00', [2]],
    ['2026-01-01T23:34:06.677-03:30', [1]],
    ['2026-01-01T23:34:06.678-03:30', [2]],
    ['2024-02-29T00:00:00-00:00', []],
    ['0001-01-01T00:00:00Z', []],
    ['9999-12-31T23:59:59.999Z', [2]],
  ])('is accepted in each form of RFC 3339: %s', async (time, versions) => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    domain.clock.advance(1000);
    await succeeds(domain.changeOrder(OWNER, id, { note: 'x' }));
    const { data, next } = await succeeds(domain.listOrderVersions(OWNER, id, { at: time }));
    expect(data.map(({ version }) => version)).toEqual(versions);
    expect(next).toBeNull();
  });

  it.each([
    '2026-01-02',
    '2026-01-02T03:04:05',
    '2026-01-02 03:04:05Z',
    '2026-01-02T03:04Z',
    '2026-01-02T03:04:05.Z',
    '2026-01-02T03:04:05,1Z',
    '2026-01-02T03:04:05.1234567890Z',
    '2026-01-02T03:04:05+0100',
    '2026-01-02T03:04:05 01:00',
    '2026-01-02T03:04:05+24:00',
    '2026-01-02T03:04:60Z',
    '2026-01-02T24:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '+12026-01-02T03:04:05Z',
    ' 2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05Z\n',
    'now',
    '',
  ])('is rejected in another form, or if it does not exist: %j', async (time) => {
    expect(await fails(aDomain().listOrderVersions(OWNER, UNKNOWN_ID, { at: time }))).toMatchObject({
      errors: [
        {
          field: 'at',
          code: 'invalid_format',
          message: 'must be an RFC 3339 date and time such as 2026-01-02T03:04:05Z',
        },
      ],
    });
  });
});
