import { ResourceId } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { aDomain, aPlacedOrder, fails, OWNER, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';

describe('a resource id', () => {
  it('is a UUID in lower case', () => {
    expect(String(ResourceId.parse(UNKNOWN_ID.toUpperCase()))).toBe(UNKNOWN_ID);
  });

  it.each(['', 'x', `${UNKNOWN_ID} `, `{${UNKNOWN_ID}}`])('is not parsed from the text "%s"', (text) => {
    expect(ResourceId.parse(text)).toBeUndefined();
  });

  it('names a resource to every use case like its text', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const resourceId = ResourceId.parse(id) ?? '';
    expect(await succeeds(domain.getOrder(OWNER, resourceId))).toEqual(await succeeds(domain.getOrder(OWNER, id)));
    expect((await succeeds(domain.getOrderVersion(OWNER, resourceId, 1))).order?.id).toBe(id);
    expect((await succeeds(domain.listOrderVersions(OWNER, resourceId))).data).toHaveLength(1);
    expect((await succeeds(domain.cancelOrder(OWNER, resourceId))).order.id).toBe(id);
    expect(await fails(domain.getCustomer(OWNER, resourceId))).toEqual({ type: 'customer_not_found', id });
  });

  it('is accepted from another copy of the package', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const foreign: unknown = { toString: () => id };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the class of another copy is not this one
    expect((await succeeds(domain.getOrder(OWNER, foreign as ResourceId))).id).toBe(id);
  });
});
