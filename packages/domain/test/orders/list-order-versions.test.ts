import { describe, expect, it } from 'vitest';
import {
  aDomain,
  anOrderIn,
  fails,
  invalidFields,
  OTHER_OWNER,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

describe('the versions of an order', () => {
  it('have the change and the order after it, newest first, and are pages with ids in any case', async () => {
    const domain = aDomain();
    const paid = await anOrderIn(domain, 'paid');
    const { id } = paid;
    await succeeds(domain.deleteOrder(OWNER, id, { actor: 'api_key:ord_4fT9' }));
    const change = { changed: ['status', 'paid_at'], actor: null, occurred_at: paid.updated_at };
    const first = await succeeds(domain.listOrderVersions(OWNER, id.toUpperCase(), { limit: 2 }));
    expect(first.data).toMatchObject([
      { version: 3, type: 'order.deleted', changed: [], actor: 'api_key:ord_4fT9', order: null },
      { version: 2, type: 'order.paid', ...change, order: paid },
    ]);
    expect(await succeeds(domain.getOrderVersion(OWNER, id.toUpperCase(), 2))).toEqual(first.data[1]);
    const after = { value: 2, id: id.toUpperCase() };
    const rest = await succeeds(domain.listOrderVersions(OWNER, id, { after }));
    expect(rest.data.map(({ version }) => version)).toEqual([1]);
    const { data } = await succeeds(domain.listOrderVersions(OWNER, id, { at: '2026-01-02T05:34:05.678+02:30' }));
    expect(data.map(({ version }) => version)).toEqual([3]);
  });

  it.each([UNKNOWN_ID, 'PO-1', ''])('are not found by the id %j', async (id) => {
    expect(await fails(aDomain().getOrderVersion(OWNER, id, 1))).toEqual({ type: 'version_not_found', id });
  });

  it('are rejected for a position of another order, after the check of the owner', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'paid');
    for (const foreign of [(await anOrderIn(domain, 'paid')).id, UNKNOWN_ID, 'x', '']) {
      const input = { after: { value: 2, id: foreign } };
      const error = await fails(domain.listOrderVersions(OWNER, id, input));
      expect(error).toMatchObject(invalidFields('after: invalid_value (must be a position in this list)'));
      expect((await fails(domain.listOrderVersions(OTHER_OWNER, id, input))).type).toBe('order_not_found');
    }
  });

  it('are rejected for an invalid query before the order is looked up', async () => {
    const error = await fails(aDomain().listOrderVersions(OWNER, UNKNOWN_ID, { limit: 0 }));
    expect(error).toMatchObject(invalidFields('limit: out_of_range'));
  });
});
