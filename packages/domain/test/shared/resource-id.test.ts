import { ResourceId } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aDomain, aPlacedOrder, type DomainUnderTest, fails, OWNER, UNKNOWN_ID } from '../fixtures/a-domain.ts';

type Call = (domain: DomainUnderTest, id: string | ResourceId) => ResultAsync<unknown, unknown>;

const OF_ORDERS: readonly (readonly [string, Call])[] = [
  ['getOrder', (domain, id) => domain.getOrder(OWNER, id)],
  ['listOrderItems', (domain, id) => domain.listOrderItems(OWNER, id)],
  ['listOrderVersions', (domain, id) => domain.listOrderVersions(OWNER, id)],
  ['changeOrder', (domain, id) => domain.changeOrder(OWNER, id, {})],
  ['cancelOrder', (domain, id) => domain.cancelOrder(OWNER, id)],
  ['deleteOrder', (domain, id) => domain.deleteOrder(OWNER, id)],
];
const OF_CUSTOMERS: typeof OF_ORDERS = [
  ['getCustomer', (domain, id) => domain.getCustomer(OWNER, id)],
  ['changeCustomer', (domain, id) => domain.changeCustomer(OWNER, id, {})],
  ['deleteCustomer', (domain, id) => domain.deleteCustomer(OWNER, id)],
];

describe('a resource id', () => {
  it('is a UUID in lower case', () => {
    expect(String(ResourceId.parse(UNKNOWN_ID.toUpperCase()))).toBe(UNKNOWN_ID);
    for (const text of ['', 'x', `${UNKNOWN_ID} `, `{${UNKNOWN_ID}}`]) expect(ResourceId.parse(text)).toBeUndefined();
  });

  it.each([
    ...OF_ORDERS,
    ['getOrderVersion', (domain, id) => domain.getOrderVersion(OWNER, id, 1)] satisfies [string, Call],
  ])('names an order to %s in any case, and as one of another copy of the package', async (_, call) => {
    const foreign = (id: string): unknown => ({ toString: () => id });
    for (const idOf of [(id: string) => id.toUpperCase(), (id: string) => ResourceId.parse(id), foreign]) {
      const domain = aDomain();
      const { id } = await aPlacedOrder(domain);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the class of another copy is not this one
      expect((await call(domain, idOf(id) as ResourceId)).isOk()).toBe(true);
    }
  });

  it.each([
    ...OF_ORDERS.map(([name, call]) => [name, call, 'order_not_found'] as const),
    ...OF_CUSTOMERS.map(([name, call]) => [name, call, 'customer_not_found'] as const),
  ])('names nothing to %s if nothing has it', async (_, call, type) => {
    for (const id of [UNKNOWN_ID, '', 'PO-1', '../orders', `${UNKNOWN_ID}\0`])
      expect(await fails(call(aDomain(), id))).toEqual({ type, id });
  });
});
